// error: encode
#include "base/private.h"
#include "fed/messages.h"

sotto::fed::Bytes send_a_user_vector(const sotto::fed::Private<sotto::fed::RowMatrix>& devices) {
  return sotto::fed::encode(devices);
}
