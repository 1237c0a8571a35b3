// error: encode
#include "fed/messages.h"
#include "sim/federation.h"

sotto::Bytes send_everything(const sotto::FederationState& state) { return sotto::encode(state); }
