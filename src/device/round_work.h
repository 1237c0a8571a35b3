// What a device does for one round, between the model that came and the contribution that may leave: the
// person's items by the catalogue's rows, their policy in its numbers, the fit.
//
// Laws: nothing is kept and nothing leaves here; an item that the catalogue lacks takes no part; a rule that
// this catalogue cannot tell apart stops the work rather than let something out. Where the person lets a
// task's versions be judged, what is held out for that takes part in no fit of the task.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "device/device_store.h"
#include "fed/models/task_model.h"
#include "fed/wire/device_fit.h"
#include "privacy/contribution.h"

namespace sotto::device {

struct RoundWork {
  Private<RowMatrix> own;  // the private row after the fit; nothing where a version was judged
  Contribution contribution;
  std::vector<std::string> items;  // those of the person's that are in it, by name
  std::string of = {};             // what these are, where they are no things: "examples of digits"
  std::string told = {};           // what it tells beside them, in words
  // Where another part of the round follows: what goes on with it, and the names of what is in it.
  std::unique_ptr<DeviceFit> fit = nullptr;
  std::function<std::string(ItemIndex)> name_of = nullptr;
};

// The person's policy in the numbers of a catalogue; Code::incompatible where a rule cannot be put into them.
[[nodiscard]] Result<ConsentTerms> terms_of(const PersonalPolicy& policy, const TaskCatalogue* catalogue,
                                            std::size_t items);
// Where the device's draws begin; one that is not enrolled has nothing that was drawn before.
[[nodiscard]] Result<DeviceStreams> streams_of(DeviceStore& kept, const Task& task);

// `catalogue`: null where the task's items are numbers; where the round has several parts it outlives the
// work. None: there is nothing to answer with.
[[nodiscard]] Result<std::optional<RoundWork>> work_for_round(DeviceStore& kept, const Task& task,
                                                              std::uint32_t round,
                                                              const TaskCatalogue* catalogue,
                                                              const RowMatrix& shared);

// Goes on with the next part of the round, where this was told of the one before. Fails where that cannot be.
// In a secure round it fails for nothing that the person's data decide: where their numbers do not fit it
// gives nothing, and goes on.
[[nodiscard]] Status work_for_next_part(RoundWork& work, PartTotal told, std::uint32_t round,
                                        const RowMatrix& shared);
// Zeros in place of the contribution, and a word for the ledger.
void give_nothing(RoundWork& work);

// As work_for_round() where the version at hand is judged: figures about the person's list, from what they
// train on alone. None too: nothing is held out, or the device has no list yet.
[[nodiscard]] Result<std::optional<RoundWork>> work_for_judging(DeviceStore& kept, const Task& task,
                                                                const TaskCatalogue* catalogue,
                                                                const RowMatrix& shared);
// Under which name the versions of a task that were judged are noted.
[[nodiscard]] inline std::string judged_name(const std::string& task) { return task + ":judged"; }
// Under which name the last round is noted that was answered before a version was judged.
[[nodiscard]] inline std::string judged_after_name(const std::string& task) { return task + ":judged-after"; }

}  // namespace sotto::device
