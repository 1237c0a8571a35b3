// error: Number
#include "base/codec.h"
#include "base/private.h"

void send(sotto::base::Writer& out, const sotto::base::Private<float>& taste) { out.number(taste); }
