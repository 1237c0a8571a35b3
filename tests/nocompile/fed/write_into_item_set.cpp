// error: private
#include "privacy/item_set.h"

void skip_consent(sotto::fed::ItemSet& set) { set.items_.push_back(3); }
