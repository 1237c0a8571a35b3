// error: private
#include "privacy/contribution.h"

void skip_consent(sotto::Contribution& contribution) { contribution.append(3)[0] = 1; }
