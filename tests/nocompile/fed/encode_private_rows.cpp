// error: encode
#include "base/private.h"
#include "fed/messages.h"

sotto::Bytes send_a_user_vector(const sotto::Private<sotto::RowMatrix>& devices) {
  return sotto::encode(devices);
}
