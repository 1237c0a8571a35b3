// compiles
#include "fed/aggregator.h"
#include "fed/messages.h"

sotto::Bytes what_is_a_message_is_sent(const sotto::ContributionMessage& answer, sotto::Aggregator& sum) {
  static_cast<void>(sum.accept(answer.contribution));
  return sotto::encode(answer);
}
