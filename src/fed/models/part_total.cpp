#include "fed/models/part_total.h"

#include <sotto/v1/federation.pb.h>

#include <algorithm>

#include "fed/models/task.h"
#include "fed/secure/sum_messages.h"

namespace sotto::fed {

namespace {

Error refuse_total(const char* why) {
  return fail(Code::bad_input, std::string("the total of a part of the round is refused: ") + why);
}

std::int64_t least_of(const TaskShape& part) { return part.counts ? 0 : -std::int64_t{part.limit}; }

bool is_sum_of(const TaskShape& part, std::int64_t number, std::int64_t devices) {
  return number >= least_of(part) * devices && number <= std::int64_t{part.limit} * devices;
}

}  // namespace

std::string encode_total(const PartTotal& total) {
  v1::PartTotal message;
  message.set_devices(total.devices);
  for (const std::int64_t number : total.numbers) message.add_sums(number);
  return message.SerializeAsString();
}

Status check_total(const TaskShape& part, const PartTotal& total) {
  if (total.numbers.size() != part.sum_numbers()) return refuse_total("it has another shape than the part");
  if (!std::ranges::all_of(total.numbers,
                           [&](std::int64_t number) { return is_sum_of(part, number, total.devices); }))
    return refuse_total("its devices cannot have added that up");
  return Done{};
}

Result<PartTotal> read_total(const std::string& encoded, const TaskShape& part) {
  v1::PartTotal message;
  if (!message.ParseFromString(encoded)) return refuse_total("it does not decode");
  const PartTotal total{message.devices(), {message.sums().begin(), message.sums().end()}};
  SOTTO_TRY_DONE(check_total(part, total));
  return total;
}

Status check_own(const TaskShape& part, const PartTotal& total, const Contribution& own) {
  if (total.devices == 0) return refuse_total("it is of nobody");
  std::vector<std::int64_t> others = total.numbers;
  for (std::size_t n = 0; n < own.size(); ++n)
    for (std::size_t k = 0; k < own.width(); ++k) others[own.row(n) * own.width() + k] -= own.values(n)[k];
  if (!std::ranges::all_of(others,
                           [&](std::int64_t number) { return is_sum_of(part, number, total.devices - 1); }))
    return refuse_total("what this device gave cannot be in it");
  return Done{};
}

Bytes32 part_beacon(const Task& task, std::uint64_t session, std::span<const PublicKey> directory) {
  Bytes32 beacon = sum_beacon(session, directory);
  for (const PartTotal& total : task.totals) {
    std::vector<std::uint8_t> heard;
    const auto put = [&](std::uint64_t number) {
      const auto bytes = bytes_of(number);
      heard.insert(heard.end(), bytes.begin(), bytes.end());
    };
    put(total.devices);
    for (const std::int64_t number : total.numbers) put(static_cast<std::uint64_t>(number));
    beacon = digest_of("sotto sum beacon after a part", {beacon, heard});
  }
  return beacon;
}

bool shows_few(const Task& task, std::uint32_t devices, std::uint32_t stayed) {
  if (task.totals.empty() || !task.shape().before[task.totals.size() - 1].told_again) return false;
  const auto corrupt = static_cast<std::uint32_t>(task.assumed.corrupt * devices);
  return stayed < devices && devices - stayed < task.assumed.crowd + corrupt;
}

}  // namespace sotto::fed
