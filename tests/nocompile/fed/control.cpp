// compiles
#include "fed/aggregator.h"
#include "fed/messages.h"

sotto::fed::Bytes what_is_a_message_is_sent(const sotto::fed::ContributionMessage& answer,
                                            sotto::fed::Aggregator& sum) {
  static_cast<void>(sum.accept(answer.contribution));
  return sotto::fed::encode(answer);
}
