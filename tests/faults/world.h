// World: a coordinator on its real store and some real devices in one process, with a clock of its own, a
// network that loses, delays, repeats and reorders, disks that fail, devices that die, clocks that are off.
//
// Laws: the same plan gives the same history, to the last byte: the system's randomness is replaced as long
// as a world runs. A Witness looks on.
#pragma once

#include <deque>
#include <memory>

#include "base/rng.h"
#include "fed/models/task_models.h"
#include "server/coordinator.h"
#include "server/sqlite_store.h"
#include "tests/faults/faulty_disk.h"
#include "tests/faults/mortal_device.h"
#include "tests/faults/store_script.h"
#include "tests/faults/witness.h"

namespace sotto::tests {

struct WorldPlan {
  std::uint64_t seed = 1;
  std::uint32_t devices = 6;
  std::uint32_t rounds = 3;
  bool noisy = false;
  bool secure = false;
  const TaskModel* model = &fpl_task;
  bool popular = false;   // a model of pairs: in rounds of two parts
  bool weighed = false;   // devices count by criteria: in rounds of four
  bool grows = false;     // the catalogue, some time
  double bad_line = 0.0;  // chance of each harm to a message: lost, reply lost, repeated, late
  bool cuts = false;      // some devices are cut off for a while
  bool skewed = false;    // clocks of devices, and the server's at each start
  bool hostile = false;   // forged requests, and a device that sends nonsense
  DiskFault disk = DiskFault::none;
  std::uint64_t disk_at = 0;         // the write, counted over the first life
  std::uint64_t disk_length = 1;     // of a full disk
  std::uint32_t deaths = 1;          // lives with a fault; in those after the first it is drawn
  std::uint64_t device_dies_at = 0;  // the step of all devices; 0: never
  double device_dies = 0.0;          // chance at each step

  [[nodiscard]] std::string text() const;
};
inline constexpr std::uint32_t writes_of_a_life = 150;  // of the store, more or less
// A plan of everything at once, drawn from a seed.
[[nodiscard]] WorldPlan drawn_plan(std::uint64_t seed);

class World {
 public:
  explicit World(const WorldPlan& plan);
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  // Until all rounds are committed, or nobody could have expected more patience: a secure round needs as many
  // devices as was assumed, so that in a storm it may fail, and fail again.
  void run();
  // What was broken; empty: nothing.
  [[nodiscard]] const std::vector<std::string>& broken() const { return witness_.broken(); }
  [[nodiscard]] std::uint64_t writes() const { return writes_; }  // of all lives
  [[nodiscard]] std::uint64_t device_steps() const { return steps_; }
  [[nodiscard]] std::uint32_t lives() const { return lives_; }

 private:
  struct Letter {
    std::int64_t at_ms = 0;
    Method method = Method::fetch;
    std::string request;
  };
  void add_device(std::uint32_t number);
  // The operator's file, with so many items.
  [[nodiscard]] TaskConfig config(std::uint32_t items) const;
  [[nodiscard]] FaultyDisk next_fault();
  // Of a fault: none come when the storm is over.
  [[nodiscard]] bool chance(double probability) { return now_ms_ < calm_ms_ && draws_.chance(probability); }
  [[nodiscard]] std::int64_t within(std::int64_t least, std::int64_t most);
  [[nodiscard]] std::int64_t server_now() const { return now_ms_ + server_off_ms_; }
  [[nodiscard]] bool step_of(MortalDevice& device);

  void start_server();
  // The operator has the file read again, and again.
  void read_again();
  void bury_server();
  void bury_if_dead();
  // None: the server is not there, or died at it.
  std::optional<std::string> deliver(Method method, const std::string& request);
  Result<std::string> carry(MortalDevice& device, Method method, const std::string& request);
  void deliver_late();
  void act(MortalDevice& device);
  void cut_off_some();
  void be_hostile();
  void forge(Method method, std::string request);
  [[nodiscard]] bool is_done();

  WorldPlan plan_;
  Stream draws_;
  FaultFolder folder_;
  Witness witness_;
  PersonalPolicy policy_;
  SharedShelf shelf_;
  std::deque<MortalDevice> devices_;
  std::vector<Letter> late_;
  std::int64_t now_ms_ = 1'800'000'000'000;
  std::int64_t calm_ms_ = now_ms_ + 600'000;  // what is promised to go on goes on then at the latest
  std::int64_t server_off_ms_ = 0;
  std::int64_t restart_ms_ = 0;
  std::int64_t grows_ms_ = 0;
  std::uint32_t items_;  // of the file
  std::uint32_t lives_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t steps_ = 0;
  std::uint64_t hostile_nonce_ = 0;
  std::unique_ptr<LogSink> log_;
  std::unique_ptr<FaultyDisk> disk_;
  std::unique_ptr<SqliteStore> store_;
  std::unique_ptr<Coordinator> server_;
};

}  // namespace sotto::tests
