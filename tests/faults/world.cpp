#include "tests/faults/world.h"

#include <fmt/format.h>
#include <sodium.h>

#include <algorithm>
#include <numeric>

#include "base/secret_stream.h"
#include "fed/models/testing/toy_networks.h"
#include "fed/models/testing/usual_knowledge.h"
#include "fed/wire/catalogue.h"

namespace sotto::tests {

namespace {

constexpr std::int64_t second_ms = 1'000;
constexpr std::int64_t tick_ms = 100;
constexpr std::int64_t patience_ms = 3'600 * second_ms;
constexpr std::uint32_t items = 16, grown_items = 21;  // people have some of the first ones
const CoordinatorOptions quick{.retry_min_ms = 500, .retry_max_ms = 3'000};

class NoLog final : public LogSink {
 public:
  void line(const LogLine& /*line*/) override {}
};

// The system's randomness, as long as a world runs: from its seed.
std::unique_ptr<SecretStream> system_draws;
const char* draws_name() { return "a world of tests"; }
void draw_bytes(void* out, std::size_t size) { system_draws->fill({static_cast<std::byte*>(out), size}); }
std::uint32_t draw_number() {
  std::uint32_t number = 0;
  draw_bytes(&number, sizeof(number));
  return number;
}
void take_over_randomness(std::uint64_t seed) {
  SOTTO_ASSERT(sodium_init() >= 0, "libsodium is there");
  static randombytes_implementation seeded{draws_name, draw_number, nullptr, nullptr, draw_bytes, nullptr};
  system_draws = std::make_unique<SecretStream>(simulated_key(seed, "world"));
  randombytes_set_implementation(&seeded);
}

std::string token_of(std::uint32_t number) { return fmt::format("token of device {}", number); }
// Few factors and few triples; what else a model has is as it usually is.
struct SmallOptions final : TaskOptions {
  bool popular = false;
  void whole_if_any(const char* key, std::uint32_t& value) override {
    if (popular && key == std::string_view("pair_items")) value = world_popular;
  }
  void whole(const char* key, std::uint32_t& value) override {
    if (key == std::string_view("factors")) value = world_factors;
    if (key == std::string_view("triples")) value = 4;
    if (key == std::string_view("hidden") || key == std::string_view("latent")) value = world_hidden;
  }
  void real(const char*, float&) override {}
  void choice(const char*, std::initializer_list<const char*>, std::size_t&) override {}
  void wholes(const char*, std::vector<std::uint32_t>& values) override { values = {4, 2}; }
};

void set_model(v1::TaskSpec& spec, const TaskModel& model, bool popular) {
  spec.set_model(model.name);
  SmallOptions small;
  small.popular = popular;
  model.configure(small, spec);
}
// Networks are trained by a stand-in here: what is broken is what carries them.
ExchangeOptions with_networks() {
  static const ToyNetworks toys;
  ExchangeOptions options;
  options.networks = &toys;
  return options;
}

// By what a device measures on itself, and where it makes a step of the model on that.
void weigh(v1::TaskSpec& spec, const TaskModel& model) {
  v1::Criteria& criteria = *spec.mutable_criteria();
  criteria.set_order(model.weighable == Weighable::sums ? "size" : "closeness>size");
  criteria.set_least_tellers(3);
  criteria.set_size_bound(items);
}

// With all that models may want to know of the items, whose names are their numbers.
TaskCatalogue world_catalogue() {
  const DeviceKnowledge known = usual_knowledge(items);
  TaskCatalogue catalogue;
  for (std::uint32_t item = 0; item < items; ++item) catalogue.names.intern(std::to_string(item));
  catalogue.features = known.features;
  catalogue.contexts = known.contexts;
  catalogue.schema = {.columns = true, .item = true};
  catalogue.scale = known.records->scale;
  return catalogue;
}
Identity hostile_identity() { return Identity(Secret(simulated_key(1, "hostile"))); }

}  // namespace

World::World(const WorldPlan& plan)
    : plan_(plan),
      draws_(plan.seed, Purpose::generate_world, 2),
      witness_(config(items), config(plan.grows ? grown_items : items)),
      items_(items),
      log_(std::make_unique<NoLog>()) {
  take_over_randomness(plan.seed);
  policy_.criteria[other_criteria] = true;
  grows_ms_ = now_ms_ + within(1, 20 * second_ms);
  // The operator makes the task's folder and the tokens; everything later has to get along without one.
  auto store = SqliteStore::open(folder_.state());
  std::vector<std::string> hashes{blob_hash("hostile")};
  for (std::uint32_t n = 0; n < plan.devices; ++n) hashes.push_back(blob_hash(token_of(n)));
  if (!store.ok() || !(*store)->add_tokens(hashes).ok()) witness_.complain("the world has no ground");
  if (!(*store)->enrol(hashes[0], hostile_identity().open(), now_ms_).ok()) witness_.complain("no enemy");
  for (std::uint32_t number = 0; number < plan.devices; ++number) add_device(number);
}

World::~World() {
  server_.reset();
  store_.reset();
  randombytes_set_implementation(&randombytes_sysrandom_implementation);
}

TaskConfig World::config(std::uint32_t of) const {
  TaskConfig config;
  v1::TaskSpec& spec = config.spec;
  spec.set_name("films");
  set_model(spec, *plan_.model, plan_.popular);
  spec.set_fixed_bits(20);
  spec.set_seed(plan_.seed);
  spec.set_items(of);
  if (plan_.weighed) weigh(spec, *plan_.model);
  if (plan_.grows)
    for (std::uint32_t item = 0; item < of; ++item) config.catalogue += std::to_string(item) + "\n";
  if (plan_.model->take_known != nullptr) {
    const TaskCatalogue catalogue = world_catalogue();
    SOTTO_ASSERT(take_known(known_of(&catalogue), spec).ok(), "the world's items are known");
    config.catalogue = encode_catalogue(catalogue);
  }
  const bool exact = plan_.seed % 2 == 0 || plan_.model == &fedals_task || plan_.model->added != nullptr;
  spec.set_down(exact ? v1::PRECISION_F32 : v1::PRECISION_I8);
  if (plan_.secure) {
    spec.set_sum(v1::SUM_SECURE);
    v1::SumAssumed& assumed = *spec.mutable_assumed();
    assumed.set_corrupt(0.05);
    assumed.set_dropped(0.4);
    assumed.set_leak(0x1p-10);
    assumed.set_abort(0x1p-5);
    assumed.set_crowd(2);
  }
  if (plan_.noisy) {
    spec.set_clip(1.0);
    config.dp = TaskDp{.noise_multiplier = 4.0, .epsilon = 100.0, .delta = 1e-5, .population = 0};
  }
  config.rules.goal = 4;
  config.rules.quorum = plan_.weighed ? 3 : 2;
  config.rules.gather_ms = 10 * second_ms;
  config.rules.round_ms = 60 * second_ms;
  config.rules.phase_ms = 8 * second_ms;
  config.rules.rounds = plan_.rounds;
  return config;
}

std::int64_t World::within(std::int64_t least, std::int64_t most) {
  return least + draws_.below(static_cast<std::uint32_t>(most - least + 1));
}

void World::add_device(std::uint32_t number) {
  MortalDevice& device = devices_.emplace_back();
  for (std::uint32_t item = number % 3; item < items; item += 2 + number % 2)
    device.history.push_back(ItemIndex{item});
  device.records = *usual_knowledge(items, device.history).records;
  device.examples = usual_examples(items, device.history);
  device.places.resize(device.examples.count());
  std::iota(device.places.begin(), device.places.end(), 0u);
  device.token = token_of(number);
  device.entropy = Secret(simulated_key(plan_.seed, "device", number));
  if (plan_.skewed) device.clock_off_ms = within(-600, 600) * second_ms;
  device.next_ms = now_ms_ + within(0, 3 * second_ms);
  const auto lives = [this, &device] { return step_of(device); };
  device.kept = std::make_unique<MemoryDeviceStore>(shelf_, MemoryPerson{.items = device.history,
                                                                         .policy = &policy_,
                                                                         .records = &device.records,
                                                                         .examples = &device.examples,
                                                                         .places = device.places,
                                                                         .collection = "examples"});
  device.mortal = std::make_unique<MortalDeviceStore>(*device.kept, lives);
  device.wire = std::make_unique<MortalWire>(
      lives,
      [this, &device](Method method, const std::string& request) { return carry(device, method, request); });
  device.exchange = std::make_unique<Exchange>(*device.mortal, with_networks());
}

bool World::step_of(MortalDevice& device) {
  if (device.is_dead) return false;
  ++steps_;
  if (steps_ == plan_.device_dies_at || (plan_.device_dies > 0.0 && chance(plan_.device_dies)))
    device.is_dead = true;
  return !device.is_dead;
}

FaultyDisk World::next_fault() {
  if (lives_ > plan_.deaths) return {DiskFault::none, 0};
  const std::uint64_t at = lives_ == 1 ? plan_.disk_at : 1 + draws_.below(writes_of_a_life);
  return {plan_.disk, at, plan_.disk_length, Death::freezes};
}

void World::start_server() {
  ++lives_;
  if (plan_.skewed) server_off_ms_ = within(-20, 20) * second_ms;
  disk_.reset(new FaultyDisk(next_fault()));
  auto store = SqliteStore::open(folder_.state(), disk_.get());
  const bool has_store = store.ok();
  if (has_store) store_ = std::move(*store);
  std::string why = has_store ? "" : store.error().message;
  if (has_store) {
    auto server = Coordinator::open(*store_, quick, {config(items_)}, *log_, server_now());
    if (server.ok())
      server_ = std::move(*server);
    else
      why = server.error().message;
  }
  // It may fail of the disk, and of nothing else.
  if (server_ == nullptr && plan_.disk == DiskFault::none) witness_.complain("it does not start: " + why);
  if (server_ == nullptr && lives_ > plan_.deaths) witness_.complain("it does not start again: " + why);
  if (server_ == nullptr || disk_->is_frozen()) return bury_server();
  witness_.inspect(*store_);
}

void World::read_again() {
  if (!plan_.grows || now_ms_ < grows_ms_) return;
  items_ = grown_items;
  if (server_ == nullptr) return;
  const Status taken = server_->reload(quick, {config(items_)});
  if (!taken.ok() && plan_.disk == DiskFault::none)
    witness_.complain("the file is not taken: " + taken.error().message);
  bury_if_dead();
}

void World::bury_server() {
  writes_ += disk_->writes();
  server_.reset();
  store_.reset();
  restart_ms_ = now_ms_ + within(0, 15 * second_ms);
}

void World::bury_if_dead() {
  if (server_ != nullptr && disk_->is_frozen()) bury_server();
}

std::optional<std::string> World::deliver(Method method, const std::string& request) {
  if (server_ == nullptr) return std::nullopt;
  std::optional<std::string> reply = server_->handle(method, request, server_now());
  if (disk_->is_frozen()) reply.reset();
  witness_.see(method, request, reply);
  bury_if_dead();
  return reply;
}

Result<std::string> World::carry(MortalDevice& device, Method method, const std::string& request) {
  const auto lost = [] { return fail(Code::io, "the line is cut"); };
  witness_.see_leaving(method, request);
  if (plan_.hostile && chance(0.05)) forge(method, request);
  if (now_ms_ < device.cut_off_until_ms || chance(plan_.bad_line)) return lost();
  if (chance(plan_.bad_line)) {
    late_.push_back({now_ms_ + within(0, 30 * second_ms), method, request});
    return lost();
  }
  auto reply = deliver(method, request);
  if (chance(plan_.bad_line)) {
    const auto second = deliver(method, request);
    if (draws_.chance(0.5)) reply = second;
  }
  if (!reply || chance(plan_.bad_line)) return lost();
  return *reply;
}

void World::deliver_late() {
  for (std::size_t n = 0; n < late_.size();) {
    if (late_[n].at_ms > now_ms_) {
      ++n;
      continue;
    }
    const Letter letter = late_[n];
    late_.erase(late_.begin() + static_cast<std::ptrdiff_t>(n));
    static_cast<void>(deliver(letter.method, letter.request));
  }
}

void World::act(MortalDevice& device) {
  if (device.is_dead) {  // back, with what it kept
    device.is_dead = false;
    device.exchange = std::make_unique<Exchange>(*device.mortal, with_networks());
  }
  device.next_ms = now_ms_ + second_ms;
  if (!device.is_enrolled) {
    const auto enrolment = device::enrol(*device.wire, device.token, device.entropy);
    if (!enrolment.ok() || device.is_dead) return;
    device.kept->keep_enrolment(*enrolment);
    device.is_enrolled = true;
    return;
  }
  const auto next = device.exchange->advance(*device.wire, now_ms_ + device.clock_off_ms);
  if (device.is_dead) return;
  if (!next.ok()) return witness_.complain("a device that lives cannot go on: " + next.error().message);
  // In a secure round a device that began anew has another key than the round knows, and must not go on.
  if (next->report.ending == Ending::refused_by_device && !plan_.secure)
    witness_.complain("a device refuses an honest server: " + next->report.why);
  device.next_ms = now_ms_ + std::max<std::int64_t>(next->wait_ms, 1);
}

void World::cut_off_some() {
  for (MortalDevice& device : devices_)
    if (chance(0.3)) device.cut_off_until_ms = now_ms_ + within(1, 20) * second_ms;
}

// A request with one bit changed, before the honest one arrives.
void World::forge(Method method, std::string request) {
  if (server_ == nullptr || request.empty()) return;
  const std::uint32_t at = draws_.below(static_cast<std::uint32_t>(request.size()));
  request[at] = static_cast<char>(request[at] ^ (1 << draws_.below(8)));
  v1::Reply reply;
  const std::string answer = server_->handle(method, request, server_now());
  if (!reply.ParseFromString(answer) || reply.refusal() == v1::REFUSAL_NONE)
    witness_.complain("a forged request was taken");
  bury_if_dead();
}

// An enrolled device that asks for work and answers with noise.
void World::be_hostile() {
  const Identity own = hostile_identity();
  hostile_nonce_ = std::max(hostile_nonce_ + 1, static_cast<std::uint64_t>(server_now()) * 1000);
  const auto ask = [&](Method method, const std::string& body) -> v1::Reply {
    v1::Reply reply;
    const auto time_ms = static_cast<std::uint64_t>(server_now());
    const std::string request =
        sign_request(method, body, time_ms, hostile_nonce_++, own).SerializeAsString();
    if (const auto answer = deliver(method, request)) static_cast<void>(reply.ParseFromString(*answer));
    return reply;
  };
  v1::CheckInRequest check_in;
  check_in.set_sum_key(text_of(own.open()));
  v1::CheckInReply told;
  const v1::Reply reply = ask(Method::check_in, check_in.SerializeAsString());
  if (!told.ParseFromString(reply.body()) || !told.has_assignment()) return;
  v1::StepRequest step;
  step.set_token(told.assignment().token());
  step.set_phase(plan_.secure ? v1::PHASE_JOIN : v1::PHASE_CONTRIBUTION);
  std::string noise(static_cast<std::size_t>(within(0, 200)), '\0');
  draw_bytes(noise.data(), noise.size());
  step.set_data(noise);
  step.set_total(noise.size());
  const v1::Reply answer = ask(Method::step, step.SerializeAsString());
  v1::StepReply progress;
  if (!plan_.secure && answer.version() != 0 && answer.refusal() == v1::REFUSAL_NONE &&
      progress.ParseFromString(answer.body()) && progress.progress() == v1::StepReply::TAKEN)
    witness_.complain("noise was taken for a contribution");
}

bool World::is_done() {
  if (server_ == nullptr) return false;
  const auto versions = store_->versions("films", 1'000);
  const auto tasks = store_->tasks();
  v1::TaskSpec spec;
  if (!versions.ok() || !tasks.ok() || !spec.ParseFromString(tasks->front().spec)) return false;
  const auto grown = std::ranges::count_if(*versions, [](const auto& one) { return one.again.has_value(); });
  return versions->size() > plan_.rounds + static_cast<std::size_t>(grown) &&
         spec.items() == (plan_.grows ? grown_items : items);
}

void World::run() {
  const std::int64_t end_ms = now_ms_ + patience_ms;
  for (std::int64_t tick = 0; now_ms_ < end_ms && broken().empty(); ++tick, now_ms_ += tick_ms) {
    if (server_ == nullptr && now_ms_ >= restart_ms_) start_server();
    if (server_ != nullptr) server_->tick(server_now());
    bury_if_dead();
    deliver_late();
    if (tick % 100 == 0) read_again();
    if (plan_.cuts && tick % 100 == 0) cut_off_some();
    if (plan_.hostile && tick % 70 == 0) be_hostile();
    for (MortalDevice& device : devices_)
      if (now_ms_ >= device.next_ms) act(device);
    if (tick % 10 == 0 && is_done()) break;
  }
  if (!is_done()) witness_.complain("the training did not come to its end");
  // One more life: what the last one released is there, and the task knows that it is finished.
  if (server_ != nullptr) bury_server();
  lives_ = std::max(lives_, plan_.deaths);
  start_server();
  const auto tasks =
      store_ == nullptr ? Result<std::vector<TaskRecord>>(std::vector<TaskRecord>{}) : store_->tasks();
  if (!tasks.ok() || tasks->size() != 1 || tasks->front().state != TaskState::finished)
    witness_.complain("the task does not know that it is finished");
}

}  // namespace sotto::tests
