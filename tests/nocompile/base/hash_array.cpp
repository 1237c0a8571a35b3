// error: Plain
#include "base/hash.h"
#include "base/private.h"

void name(sotto::base::Hasher& hasher, std::span<const sotto::base::Private<float>> taste) {
  hasher.array(taste);
}
