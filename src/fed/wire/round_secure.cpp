#include "fed/wire/round_secure.h"

#include <algorithm>

#include "fed/secure/masked_sum.h"
#include "fed/secure/refusals.h"
#include "fed/wire/signed_request.h"

namespace sotto::fed {

namespace {

std::string text_of_bytes(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::uint32_t entries_of(const Task& task) { return static_cast<std::uint32_t>(task.part().sum_numbers()); }

}  // namespace

std::uint64_t SecureRound::most_bytes(const Task& task, std::uint32_t devices) {
  SumOffer offer;
  offer.terms.devices = offer.terms.degree = devices;  // at most everybody is a neighbour
  offer.entries = entries_of(task);
  offer.range.bits = 64;
  return masked_cost(offer).up;
}

Result<std::unique_ptr<SecureRound>> SecureRound::start(const Task& task, std::uint32_t round,
                                                        std::vector<PublicKey> directory,
                                                        std::int64_t phase_ms, std::int64_t now_ms) {
  const auto devices = static_cast<std::uint32_t>(directory.size());
  SumOffer offer;
  offer.session = std::uint64_t{round} << 32 | task.totals.size();
  SOTTO_TRY(offer.terms, sum_terms(devices, task.assumed));
  SOTTO_TRY(offer.range, plan_range(devices, sum_limit(task), 0));
  offer.entries = entries_of(task);
  offer.beacon = part_beacon(task, offer.session, directory);
  return std::unique_ptr<SecureRound>(new SecureRound(task, offer, std::move(directory), phase_ms, now_ms));
}

SecureRound::SecureRound(const Task& task, SumOffer offer, std::vector<PublicKey> directory,
                         std::int64_t phase_ms, std::int64_t now_ms)
    : task_(task),
      directory_(std::move(directory)),
      server_(offer, directory_),
      committee_(NeighbourGraph(offer.terms, offer.beacon).committee()),
      phase_ms_(phase_ms),
      phase_ends_ms_(now_ms + phase_ms),
      digests_(directory_.size()) {
  heard_.fill(DeviceSet(offer.terms.devices));
}

StepAnswer SecureRound::take(std::uint32_t place, v1::Phase phase, std::string_view message,
                             std::int64_t now_ms) {
  const int index = phase - first_phase;
  const bool spoken = !message.empty() && index >= 0 && index < phases;
  if (!spoken || state_ != State::running) return poll(place, phase);
  const auto n = static_cast<std::size_t>(index);
  if (heard_[n].has(place)) {
    if (digests_[place][n] == message_digest(message)) return poll(place, phase);
    return refuse_step(v1::REFUSAL_DUPLICATE, "another message of this phase was taken already");
  }
  if (index < at_) return refuse_step(v1::REFUSAL_TOO_LATE, "the phase is over");
  if (index > at_) return refuse_step(v1::REFUSAL_OUT_OF_ORDER, "the phase has not begun");
  if (at_ > 0 && phase != v1::PHASE_REVEAL && !heard_[n - 1].has(place))
    return refuse_step(v1::REFUSAL_TOO_LATE, "the device was silent in the phase before");
  if (StepAnswer received = receive(place, phase, message); received.refusal != v1::REFUSAL_NONE) {
    // Nobody waits for the shares of one that was found lying about them.
    if (phase == v1::PHASE_REVEAL && heard_[n].size() == expected()) close(now_ms);
    return received;
  }
  heard_[n].insert(place);
  digests_[place][n] = message_digest(message);
  if (heard_[n].size() == expected()) close(now_ms);
  StepAnswer answer = poll(place, phase);
  answer.contributed = phase == v1::PHASE_MASKED;
  return answer;
}

StepAnswer SecureRound::poll(std::uint32_t place, v1::Phase phase) const {
  if (state_ == State::failed) return refuse_step(v1::REFUSAL_ROUND_FAILED, why_);
  if (phase == v1::PHASE_JOIN) {
    v1::SumStart start;
    start.set_offer(text_of_bytes(encode(server_.offer())));
    start.set_place(place);
    for (const PublicKey& key : directory_) *start.mutable_directory() += text_of(key);
    return step_progress(v1::StepReply::ANSWER, start.SerializeAsString());
  }
  const int index = phase - first_phase;
  if (index < 0 || index >= phases)
    return refuse_step(v1::REFUSAL_OUT_OF_ORDER, "a secure sum has no such phase");
  // Not everybody signs, but everybody whose input is in the sum hears who did.
  const v1::Phase proof = phase == v1::PHASE_AGREEMENT ? v1::PHASE_MASKED : phase;
  if (index > at_) return refuse_step(v1::REFUSAL_OUT_OF_ORDER, "the phase has not begun");
  if (!heard(proof).has(place))
    return index < at_ ? refuse_step(v1::REFUSAL_TOO_LATE, "the phase is over")
                       : refuse_step(v1::REFUSAL_OUT_OF_ORDER, "nothing was said that could be answered");
  if (phase == v1::PHASE_REVEAL) return step_progress(v1::StepReply::TAKEN);
  if (index == at_) return step_progress(v1::StepReply::WAIT);
  return step_progress(v1::StepReply::ANSWER, answer(place, phase));
}

bool SecureRound::left(std::uint32_t place) const {
  const int over = at_ + (state_ == State::running ? 0 : 1);
  const int needed = std::min(over, v1::PHASE_MASKED - first_phase + 1);
  return std::any_of(heard_.begin(), heard_.begin() + needed,
                     [&](const DeviceSet& spoke) { return !spoke.has(place); });
}

StepAnswer SecureRound::receive(std::uint32_t place, v1::Phase phase, std::string_view message) {
  const auto bytes = std::as_bytes(std::span(message));
  const auto give = [&]<class M>(Result<M> decoded) {
    if (!decoded.ok()) return refuse_step(v1::REFUSAL_BAD_MESSAGE, decoded.error().message);
    if constexpr (std::is_same_v<M, MaskedMessage>)
      if (const SumOffer& offer = server_.offer();
          decoded->values.size() != (std::uint64_t{offer.entries} * offer.range.bits + 7) / 8)
        return refuse_step(v1::REFUSAL_WRONG_SHAPE, "an input that is not as long as the sum");
    const Status taken = server_.receive(place, *decoded);
    return taken.ok() ? StepAnswer{} : refuse_step(v1::REFUSAL_BAD_VALUE, taken.error().message);
  };
  switch (phase) {
    case v1::PHASE_KEYS:
      return give(decode<KeysMessage>(bytes));
    case v1::PHASE_LETTERS:
      return give(decode<LettersMessage>(bytes));
    case v1::PHASE_MASKED:
      return give(decode<MaskedMessage>(bytes));
    case v1::PHASE_AGREEMENT:
      return give(decode<AgreementMessage>(bytes));
    default:
      return give(decode<RevealMessage>(bytes));
  }
}

std::string SecureRound::answer(std::uint32_t place, v1::Phase phase) const {
  switch (phase) {
    case v1::PHASE_KEYS:
      return text_of_bytes(encode(server_.keys_for(place)));
    case v1::PHASE_LETTERS:
      return text_of_bytes(encode(server_.letters_for(place)));
    case v1::PHASE_MASKED:
      return text_of_bytes(encode(server_.survivors()));
    default:
      return text_of_bytes(encode(server_.certificate_for(place)));
  }
}

std::uint32_t SecureRound::expected() const {
  switch (phase()) {
    case v1::PHASE_KEYS:
      return static_cast<std::uint32_t>(directory_.size());
    case v1::PHASE_LETTERS:
      return heard(v1::PHASE_KEYS).size();
    case v1::PHASE_MASKED:
      return heard(v1::PHASE_LETTERS).size();
    case v1::PHASE_AGREEMENT:
      return static_cast<std::uint32_t>(std::count_if(committee_.begin(), committee_.end(),
                                                      [&](std::uint32_t place) { return in_sum(place); }));
    default:
      break;
  }
  const DeviceSet& lying = server_.findings().proven;
  std::uint32_t waited_for = heard(v1::PHASE_MASKED).size();
  if (lying.size() == 0) return waited_for;
  for (std::uint32_t place = 0; place < lying.devices(); ++place)
    if (lying.has(place) && !heard(v1::PHASE_REVEAL).has(place)) --waited_for;
  return waited_for;
}

Status SecureRound::close_phase() {
  switch (phase()) {
    case v1::PHASE_KEYS:
      return server_.close_keys();
    case v1::PHASE_LETTERS:
      return server_.close_letters();
    case v1::PHASE_MASKED:
      if (shows_few(task_, static_cast<std::uint32_t>(directory_.size()),
                    static_cast<std::uint32_t>(inputs())))
        return fail(Code::bad_input,
                    "so few fell silent between its parts that the difference of both would show them");
      return server_.close_inputs();
    case v1::PHASE_AGREEMENT:
      return server_.close_agreement();
    default:
      break;
  }
  SOTTO_TRY(total_, std::move(server_).release());
  return Done{};
}

void SecureRound::close(std::int64_t now_ms) {
  const Status closed = close_phase();
  if (!closed.ok()) {
    state_ = State::failed;
    why_ = closed.error().message;
  } else if (phase() == v1::PHASE_REVEAL) {
    state_ = State::done;
  } else {
    ++at_;
    phase_ends_ms_ = now_ms + phase_ms_;
  }
}

void SecureRound::tick(std::int64_t now_ms) {
  if (state_ == State::running && now_ms >= phase_ends_ms_) close(now_ms);
}

Status GivenTotal::begin(const RoundPlace& /*place*/) {
  total_ = nullptr;
  return Done{};
}

Status GivenTotal::accept(UserIndex /*user*/, Contribution& /*contribution*/) {
  return sum_refused("a contribution in the open");
}

Result<Traffic> GivenTotal::finish(Aggregator& total) {
  SOTTO_ASSERT(total_ != nullptr, "a total is given before it is added");
  for (std::size_t first = 0; first < total_->values.size(); first += width_) {
    const std::int64_t* values = total_->values.data() + first;
    if (std::any_of(values, values + width_, [](std::int64_t v) { return v != 0; }))
      total.add_total(static_cast<std::uint32_t>(first / width_), values);
  }
  return Traffic{.devices = total_->survivors.size()};
}

}  // namespace sotto::fed
