// error: Plain
#include "base/codec.h"
#include "base/private.h"

void send(sotto::base::Writer& out, std::span<const sotto::base::Private<float>> taste) { out.array(taste); }
