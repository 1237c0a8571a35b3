// error: Plain
#include "base/codec.h"
#include "base/private.h"

auto receive(sotto::Reader& in) { return in.array<sotto::Private<float>>(); }
