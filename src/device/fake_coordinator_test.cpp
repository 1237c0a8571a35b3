#include "device/testing/fake_coordinator.h"

namespace sotto::device {

namespace {

template <class M>
std::string text_of_message(const M& message) {
  const Bytes bytes = encode(message);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <class M>
M message_in(const std::string& text) {
  auto message = decode<M>(std::as_bytes(std::span(text)));
  EXPECT_TRUE(message.ok());
  return std::move(*message);
}

}  // namespace

void FakeCoordinator::answer(Method method, const std::string& bytes, v1::Reply& reply) {
  v1::SignedRequest request;
  ASSERT_TRUE(request.ParseFromString(bytes));
  const auto key = keys.find(request.device());
  if (key == keys.end()) return reply.set_refusal(v1::REFUSAL_UNKNOWN_DEVICE);
  ASSERT_TRUE(verify_request(method, request, key->second));
  const auto apart = static_cast<std::int64_t>(request.time_ms()) - now_ms;
  if (apart > clock_window_ms || -apart > clock_window_ms) return reply.set_refusal(v1::REFUSAL_CLOCK);
  std::uint64_t& nonce = nonces[request.device()];
  ASSERT_GT(request.nonce(), nonce) << "a nonce was used twice";
  nonce = request.nonce();
  if (method == Method::check_in) check_in(request.device(), request.body(), reply);
  if (method == Method::fetch) fetch(request.body(), reply);
  if (method == Method::step) step(request.device(), request.body(), reply);
}

void FakeCoordinator::check_in(const std::string& device, const std::string& body, v1::Reply& reply) {
  v1::CheckInRequest request;
  ASSERT_TRUE(request.ParseFromString(body));
  last_check_in = body;
  if (cohort > 0 && !places_.contains(device)) {
    places_[device] = static_cast<std::uint32_t>(directory.size());
    PublicKey key{};
    ASSERT_TRUE(read_key(request.sum_key(), key));
    directory.push_back(key);
  }
  v1::CheckInReply answer;
  v1::Assignment& given = *answer.mutable_assignment();
  *given.mutable_task() = spec;
  given.set_round(round);
  given.set_token(device);  // 16 bytes; a real one would not say who it is
  given.set_deadline_ms(static_cast<std::uint64_t>(now_ms + 600'000));
  given.set_version(version);
  *given.mutable_full() = full;
  if (offers_delta) *given.mutable_delta() = delta;
  if (twist_assignment) twist_assignment(given);
  if (brings_news) {
    given.clear_round(), given.clear_token(), given.clear_deadline_ms();
    *answer.mutable_news() = std::move(given);
    answer.clear_assignment();
    answer.set_retry_min_ms(1);
    answer.set_retry_max_ms(1);
  }
  reply.set_body(answer.SerializeAsString());
}

void FakeCoordinator::fetch(const std::string& body, v1::Reply& reply) {
  v1::FetchRequest request;
  ASSERT_TRUE(request.ParseFromString(body));
  const auto blob = blobs.find(request.hash());
  if (blob == blobs.end()) return reply.set_refusal(v1::REFUSAL_NOT_FOUND);
  ASSERT_LT(request.offset(), blob->second.size());
  v1::FetchReply piece;
  piece.set_total(blob->second.size());
  piece.set_data(blob->second.substr(request.offset(), std::min<std::size_t>(request.most(), piece_bytes)));
  fetched_bytes += piece.data().size();
  if (twist_fetch) twist_fetch(piece);
  reply.set_body(piece.SerializeAsString());
}

std::string FakeCoordinator::upload_name(const std::string& device, const v1::StepRequest& request) const {
  return device + std::to_string(request.phase()) + "/" + std::to_string(round) + "/" +
         std::to_string(request.part());
}

bool FakeCoordinator::upload(const std::string& device, const v1::StepRequest& request,
                             v1::StepReply& reply) {
  std::string& got = uploads_[upload_name(device, request)];
  if (request.offset() == got.size()) got += request.data().substr(0, piece_bytes);
  if (got.size() >= request.total()) return true;
  reply.set_progress(v1::StepReply::MORE);
  reply.set_next_offset(got.size());
  return false;
}

void FakeCoordinator::step(const std::string& device, const std::string& body, v1::Reply& reply) {
  v1::StepRequest request;
  ASSERT_TRUE(request.ParseFromString(body));
  ASSERT_EQ(request.token(), device);
  v1::StepReply answer;
  if (request.phase() != v1::PHASE_CONTRIBUTION) {
    sum_step(device, request, answer);
    reply.set_retry_after_ms(10);
  } else if (upload(device, request, answer)) {
    contributions.insert(uploads_[upload_name(device, request)]);
    answer.set_progress(v1::StepReply::TAKEN);
    if (request.part() + 1 < task.parts()) {
      answer.set_progress(v1::StepReply::ANSWER);
      answer.set_data(encode_total(told));
    }
  }
  if (twist_step) twist_step(answer);
  reply.set_body(answer.SerializeAsString());
}

void FakeCoordinator::start_sum(std::uint32_t place, v1::StepReply& reply) {
  SumOffer offer;
  offer.session = round + (std::uint64_t{task.totals.size()} << 32);
  offer.terms = *sum_terms(cohort, task.assumed);
  offer.range = *plan_range(cohort, sum_limit(task));
  offer.entries = static_cast<std::uint32_t>(task.part().sum_numbers());
  offer.beacon = part_beacon(task, offer.session, directory);
  if (!sum) sum.emplace(offer, directory);
  v1::SumStart start;
  start.set_place(place);
  for (const PublicKey& key : directory) start.mutable_directory()->append(text_of(key));
  start.set_offer(text_of_message(offer));
  if (twist_start) twist_start(start);
  reply.set_progress(v1::StepReply::ANSWER);
  reply.set_data(start.SerializeAsString());
}

Status FakeCoordinator::take_sum(std::uint32_t place, v1::Phase phase, const std::string& data) {
  if (phase == v1::PHASE_KEYS) return sum->receive(place, message_in<KeysMessage>(data));
  if (phase == v1::PHASE_LETTERS) return sum->receive(place, message_in<LettersMessage>(data));
  if (phase == v1::PHASE_MASKED) return sum->receive(place, message_in<MaskedMessage>(data));
  if (phase == v1::PHASE_REVEAL) return sum->receive(place, message_in<RevealMessage>(data));
  return data.empty() ? Status(Done{}) : sum->receive(place, message_in<AgreementMessage>(data));
}

std::string FakeCoordinator::sum_answer(std::uint32_t place, v1::Phase phase) {
  if (phase == v1::PHASE_KEYS) return text_of_message(sum->keys_for(place));
  if (phase == v1::PHASE_LETTERS) return text_of_message(sum->letters_for(place));
  if (phase == v1::PHASE_MASKED) return text_of_message(sum->survivors());
  return text_of_message(sum->certificate_for(place));
}

void FakeCoordinator::close_phase(v1::Phase phase) {
  Status closed = Done{};
  if (phase == v1::PHASE_KEYS) closed = sum->close_keys();
  if (phase == v1::PHASE_LETTERS) closed = sum->close_letters();
  if (phase == v1::PHASE_MASKED) closed = sum->close_inputs();
  if (phase == v1::PHASE_AGREEMENT) closed = sum->close_agreement();
  if (phase == v1::PHASE_REVEAL) total = std::move(*sum).release()->values;
  ASSERT_TRUE(closed.ok()) << closed.error().message;
  if (phase != v1::PHASE_REVEAL || task.in_last_part()) return;
  PartTotal made = told_of(task.part(), cohort, total).value();
  if (twist_total) twist_total(made);
  task.totals.push_back(std::move(made));
  sum.reset();
  heard_.clear();
}

void FakeCoordinator::sum_step(const std::string& device, const v1::StepRequest& request,
                               v1::StepReply& reply) {
  const std::uint32_t place = places_.at(device);
  if (request.part() < task.totals.size()) {
    reply.set_progress(v1::StepReply::ANSWER);
    return reply.set_data(encode_total(task.totals[request.part()]));
  }
  reply.set_progress(v1::StepReply::WAIT);
  if (request.phase() == v1::PHASE_JOIN) {
    if (directory.size() == cohort) start_sum(place, reply);
    return;
  }
  std::set<std::uint32_t>& heard = heard_[request.phase()];
  if (!request.poll() && !heard.contains(place)) {
    if (!upload(device, request, reply)) return;
    const Status taken = take_sum(place, request.phase(), uploads_[upload_name(device, request)]);
    ASSERT_TRUE(taken.ok()) << taken.error().message;
    heard.insert(place);
    if (heard.size() == cohort) close_phase(request.phase());
  }
  reply.set_progress(v1::StepReply::WAIT);
  if (request.phase() == v1::PHASE_REVEAL)
    return reply.set_progress(request.part() + 1 < task.parts() ? v1::StepReply::WAIT : v1::StepReply::TAKEN);
  if (heard.size() < cohort) return;
  reply.set_progress(v1::StepReply::ANSWER);
  reply.set_data(sum_answer(place, request.phase()));
}

}  // namespace sotto::device
