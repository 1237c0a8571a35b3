// error: Plain
#include "base/codec.h"
#include "data/histories.h"

void write_a_history(sotto::fed::Writer& out, const sotto::fed::Histories& histories) {
  out.array(histories.of(sotto::fed::UserIndex{0}));
}
