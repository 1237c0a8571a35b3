// error: Number
#include "base/codec.h"
#include "base/private.h"

void send(sotto::Writer& out, const sotto::Private<float>& taste) { out.number(taste); }
