// error: Plain
#include "base/hash.h"
#include "base/private.h"

void name(sotto::Hasher& hasher, std::span<const sotto::Private<float>> taste) { hasher.array(taste); }
