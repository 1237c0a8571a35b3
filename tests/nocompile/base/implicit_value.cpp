// error: conver
#include "base/private.h"

float leak(const sotto::Private<float>& taste) { return taste; }
