// error: conver
#include "base/private.h"

float leak(const sotto::base::Private<float>& taste) { return taste; }
