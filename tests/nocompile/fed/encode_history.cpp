// error: encode
#include "data/histories.h"
#include "fed/messages.h"

sotto::fed::Bytes send_a_history(const sotto::fed::Histories& histories) {
  return sotto::fed::encode(histories);
}
