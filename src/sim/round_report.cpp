#include "sim/round_report.h"

namespace sotto::sim {

namespace {

constexpr double loss_scale = 1 << 20;

}  // namespace

void RoundReport::add(const RoundReport& other) {
  rounds += other.rounds;
  exchanges += other.exchanges;
  triples += other.triples;
  loss_units += other.loss_units;
  bytes_up += other.bytes_up;
  bytes_down += other.bytes_down;
  held_rows += other.held_rows;
}

double RoundReport::mean_loss() const {
  return triples == 0 ? 0.0 : static_cast<double>(loss_units) / loss_scale / static_cast<double>(triples);
}

}  // namespace sotto::sim
