// error: Plain
#include "base/codec.h"
#include "data/histories.h"

void write_a_history(sotto::Writer& out, const sotto::Histories& histories) {
  out.array(histories.of(sotto::UserIndex{0}));
}
