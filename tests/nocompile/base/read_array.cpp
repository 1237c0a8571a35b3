// error: Plain
#include "base/codec.h"
#include "base/private.h"

auto receive(sotto::base::Reader& in) { return in.array<sotto::base::Private<float>>(); }
