#include "device/secure_part.h"

#include <algorithm>

namespace sotto::device {

namespace {

Error refuse_sum(const char* why) {
  return fail(Code::bad_input, std::string("the secure sum is refused: ") + why);
}

std::span<const std::byte> bytes_in(const std::string& text) { return std::as_bytes(std::span(text)); }

template <class M>
SecurePart::Outgoing outgoing(v1::Phase phase, const M& message) {
  const Bytes bytes = encode(message);
  return {phase, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())};
}

Result<std::vector<PublicKey>> read_directory(const std::string& bytes) {
  constexpr std::size_t each = sizeof(PublicKey);
  if (bytes.size() % each != 0 || bytes.size() / each > most_sum_devices)
    return refuse_sum("its directory does not decode");
  std::vector<PublicKey> directory(bytes.size() / each);
  for (std::size_t n = 0; n < directory.size(); ++n)
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(n * each), each, directory[n].begin());
  return directory;
}

}  // namespace

Result<SecurePart::Outgoing> SecurePart::join(const std::string& answer) {
  v1::SumStart start;
  if (!start.ParseFromString(answer)) return refuse_sum("its start does not decode");
  SOTTO_TRY(const SumOffer offer, decode<SumOffer>(bytes_in(start.offer())));
  SOTTO_TRY(directory_, read_directory(start.directory()));
  if (start.place() >= directory_.size() || directory_[start.place()] != secrets_.identity().open())
    return refuse_sum("the place in its directory is another device's");
  if (!task_.totals.empty() && directory_ != cohort_)
    return refuse_sum("its cohort is not those who gave to the part of the round before");
  std::vector<PublicKey>().swap(cohort_);
  SOTTO_TRY(const SumTerms terms, sum_terms(static_cast<std::uint32_t>(directory_.size()), task_.assumed));
  if (!same_bytes(offer.beacon, part_beacon(task_, offer.session, directory_)))
    return refuse_sum("who is whose neighbour was not drawn from everybody's keys");
  if (offer.entries != task_.part().sum_numbers())
    return refuse_sum("it sums something of another shape than the task's model");
  // What does not fit is not given: a limit of the server's own would ask how large a number is.
  if (offer.range.limit != sum_limit(task_))
    return refuse_sum("it has room for other numbers than the task's contributions");
  sum_.emplace(start.place(), secrets_.identity(), directory_, terms, secrets_.secrets(task_.totals.size()));
  SOTTO_TRY(const KeysMessage keys, sum_->join(offer));
  return outgoing(v1::PHASE_KEYS, keys);
}

// Zeros where a number does not fit: a device that ended here would say so of its person.
std::vector<std::int32_t> SecurePart::input() {
  const std::size_t width = contribution_.width();
  const std::int64_t limit = sum_limit(task_);
  std::vector<std::int64_t> sums(task_.part().sum_numbers(), 0);  // a row may stand twice
  for (std::size_t n = 0; n < contribution_.size(); ++n)
    for (std::size_t k = 0; k < width; ++k)
      sums[contribution_.row(n) * width + k] += contribution_.values(n)[k];
  gave_nothing_ = std::ranges::any_of(sums, [&](std::int64_t sum) { return sum > limit || sum < -limit; });
  if (gave_nothing_) sums.assign(sums.size(), 0);
  return {sums.begin(), sums.end()};
}

Result<SecurePart::Outgoing> SecurePart::give(const std::string& answer) {
  SOTTO_TRY(const auto letters, decode<LettersMessage>(bytes_in(answer)));
  const std::vector<std::int32_t> values = input();
  contribution_ = Contribution(0);  // it may be long, and many devices of one process wait with it
  SOTTO_TRY(const MaskedMessage masked, sum_->receive(letters, values));
  return outgoing(v1::PHASE_MASKED, masked);
}

Result<SecurePart::Outgoing> SecurePart::agree_on(const std::string& answer) {
  SOTTO_TRY(const auto survivors, decode<SurvivorsMessage>(bytes_in(answer)));
  SOTTO_TRY(const auto agreement, sum_->receive(survivors));
  const auto devices = static_cast<std::uint32_t>(directory_.size());
  if (shows_few(task_, devices, survivors.survivors.size()))
    return refuse_sum("so few left since the part before that the difference of both would show them");
  stayed_.clear();
  for (std::uint32_t place = 0; place < devices; ++place)
    if (survivors.survivors.has(place)) stayed_.push_back(directory_[place]);
  if (!agreement) return Outgoing{v1::PHASE_AGREEMENT, ""};
  return outgoing(v1::PHASE_AGREEMENT, *agreement);
}

Result<SecurePart::Outgoing> SecurePart::after(v1::Phase phase, const std::string& answer) {
  if (phase == v1::PHASE_JOIN) return join(answer);
  if (!sum_) return refuse_sum("a phase before its time");
  if (phase == v1::PHASE_KEYS) {
    SOTTO_TRY(const auto keys, decode<NeighbourKeysMessage>(bytes_in(answer)));
    SOTTO_TRY(const LettersMessage letters, sum_->receive(keys));
    return outgoing(v1::PHASE_LETTERS, letters);
  }
  if (phase == v1::PHASE_LETTERS) return give(answer);
  if (phase == v1::PHASE_MASKED) return agree_on(answer);
  if (phase != v1::PHASE_AGREEMENT) return refuse_sum("an answer where none is due");
  SOTTO_TRY(const auto certificate, decode<CertificateMessage>(bytes_in(answer)));
  SOTTO_TRY(const RevealMessage reveal, sum_->receive(certificate));
  return outgoing(v1::PHASE_REVEAL, reveal);
}

}  // namespace sotto::device
