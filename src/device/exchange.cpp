#include "device/exchange.h"

#include "device/exchange_run.h"

namespace sotto::device {

const char* to_string(Ending ending) {
  switch (ending) {
    case Ending::no_work:
      return "no work";
    case Ending::answered:
      return "answered";
    case Ending::kept_quiet:
      return "kept quiet";
    case Ending::dropped:
      return "dropped";
    case Ending::refused_by_server:
      return "refused by the server";
    case Ending::refused_by_device:
      return "refused by the device";
  }
  SOTTO_ASSERT(false, "every ending has a name");
}

Exchange::Exchange(DeviceStore& kept, ExchangeOptions options) : kept_(kept), options_(std::move(options)) {}
Exchange::~Exchange() = default;

Result<Exchange::Next> Exchange::advance(Transport& wire, std::int64_t now_ms) {
  if (run_ == nullptr) {
    SOTTO_TRY(const auto enrolment, kept_.enrolment());
    if (!enrolment) return fail(Code::usage, "this device is not enrolled anywhere: enrol it first");
    run_ = std::make_unique<ExchangeRun>(kept_, options_, *enrolment, ahead_ms_, now_ms);
  }
  for (int n = 0; n < options_.moves_a_call; ++n) {
    auto moved = run_->move(wire, now_ms);
    ahead_ms_ = run_->ahead_ms();
    const bool over = !moved.ok() || (*moved && (*moved)->what != Next::What::wait);
    if (over) run_.reset();
    if (!moved.ok()) return moved.error();
    if (*moved) return std::move(**moved);
  }
  return run_->wait(0);
}

}  // namespace sotto::device
