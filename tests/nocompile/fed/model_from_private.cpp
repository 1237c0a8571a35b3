// error: conver
#include "base/private.h"
#include "fed/messages.h"

sotto::fed::ModelMessage send_as_a_model(const sotto::fed::Private<sotto::fed::RowMatrix>& devices) {
  return sotto::fed::ModelMessage{.round = 1, .shared = devices};
}
