#include "device/coordinator_channel.h"

#include <fmt/core.h>

#include <algorithm>

namespace sotto::device {

namespace {

// A clock beyond the year 2200 is nobody's.
constexpr std::uint64_t last_time_ms = 7'258'118'400'000;

Heard nonsense(std::string why) {
  Heard heard;
  heard.what = Heard::What::nonsense;
  heard.why = std::move(why);
  return heard;
}

}  // namespace

Heard hear(const Result<std::string>& answer) {
  if (!answer.ok()) {
    Heard lost;
    lost.why = answer.error().message;
    return lost;
  }
  if (answer->size() > most_message_bytes) return nonsense("the coordinator's reply is larger than allowed");
  Heard heard;
  if (!heard.reply.ParseFromString(*answer)) return nonsense("the coordinator's reply does not decode");
  if (heard.reply.version() != protocol_version)
    return nonsense(
        fmt::format("the coordinator speaks version {} of the protocol and this device {}: "
                    "update the older of the two",
                    heard.reply.version(), protocol_version));
  heard.what = Heard::What::reply;
  heard.bytes_down = answer->size();
  return heard;
}

Result<Heard> CoordinatorChannel::ask(Transport& wire, Method method, std::string body, std::int64_t now_ms) {
  const auto time_ms = static_cast<std::uint64_t>(std::max<std::int64_t>(server_time(now_ms), 0));
  SOTTO_TRY(const std::uint64_t nonce, kept_.next_nonce(time_ms * 1000));
  const std::string request =
      sign_request(method, std::move(body), time_ms, nonce, identity_).SerializeAsString();
  Heard heard = hear(wire.call(method, request));
  heard.bytes_up = request.size();
  const std::uint64_t told = heard.reply.server_time_ms();
  if (heard.what == Heard::What::reply && told != 0 && told < last_time_ms)
    ahead_ms_ = static_cast<std::int64_t>(told) - now_ms;
  return heard;
}

}  // namespace sotto::device
