// error: private
#include "privacy/contribution.h"

void skip_consent(sotto::fed::Contribution& contribution) { contribution.append(3)[0] = 1; }
