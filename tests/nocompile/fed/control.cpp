// compiles
#include "fed/aggregator.h"
#include "fed/messages.h"
#include "sim/federation.h"

sotto::fed::Bytes what_is_a_message_is_sent(const sotto::fed::ContributionMessage& answer,
                                            sotto::fed::Aggregator& sum) {
  static_cast<void>(sum.accept(answer.contribution));
  static_cast<void>(sizeof(sotto::sim::FederationState));  // what encode_state.cpp must not send is there
  return sotto::fed::encode(answer);
}
