// error: Plain
#include "base/codec.h"
#include "base/private.h"

void send(sotto::Writer& out, std::span<const sotto::Private<float>> taste) { out.array(taste); }
