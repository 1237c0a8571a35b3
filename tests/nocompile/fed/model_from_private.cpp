// error: conver
#include "base/private.h"
#include "fed/messages.h"

sotto::ModelMessage send_as_a_model(const sotto::Private<sotto::RowMatrix>& devices) {
  return sotto::ModelMessage{.round = 1, .shared = devices};
}
