// error: encode
#include "fed/messages.h"
#include "sim/federation.h"

sotto::fed::Bytes send_everything(const sotto::sim::FederationState& state) {
  return sotto::fed::encode(state);
}
