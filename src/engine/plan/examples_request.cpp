#include "engine/plan/examples_request.h"

#include <fmt/core.h>

#include <algorithm>

#include "data/examples/dealt_examples.h"
#include "data/examples/generate_examples.h"
#include "engine/files/examples_files.h"
#include "engine/files/files.h"
#include "engine/plan/request.h"

namespace sotto::engine {

Result<DealKind> parse_deal_kind(const std::string& text) {
  for (const DealKind kind : {DealKind::iid, DealKind::shards, DealKind::people})
    if (text == to_string(kind)) return kind;
  return fail(Code::usage, fmt::format("examples are not dealt by '{}': choose iid, shards or people", text));
}

const char* to_string(DealKind kind) {
  switch (kind) {
    case DealKind::iid:
      return "iid";
    case DealKind::shards:
      return "shards";
    case DealKind::people:
      return "people";
  }
  SOTTO_ASSERT(false, "every way of dealing has a name");
  return "";
}

namespace {

// What says nothing beside the rest, and is not as it is anyway.
Status check_idle(const ExamplesRequest& asked) {
  const ExamplesRequest usual;
  if (!asked.generate && asked.count != usual.count)
    return fail(Code::usage,
                "--examples is for generated examples: leave it out with --data; --most-examples takes some "
                "of a device's");
  if (asked.deal == DealKind::people && asked.devices != usual.devices)
    return fail(Code::usage,
                "--devices is for iid and shards, and people hold their own examples, each on one device: "
                "leave it out; --most-devices takes some of them");
  if (asked.deal != DealKind::people && asked.people.sample_share != usual.people.sample_share)
    return fail(Code::usage, "--sample is for people: choose --deal people, or leave it out");
  if (asked.deal != DealKind::people && asked.people.least != usual.people.least)
    return fail(Code::usage, "--least is for people: choose --deal people, or leave it out");
  return Done{};
}

Result<OwnedExamples> made_up(const ExamplesRequest& asked, std::uint64_t seed) {
  if (asked.deal == DealKind::people) {
    PortraitOptions options;
    options.people = std::max<std::uint32_t>(
        static_cast<std::uint32_t>(static_cast<double>(asked.count) / options.mean_pictures), 1);
    options.seed = seed;
    return generate_portraits(options);
  }
  PictureOptions options;
  options.test = asked.count / 6;
  options.training = asked.count - options.test;
  options.seed = seed;
  OwnedExamples made;
  SOTTO_TRY(made.examples, generate_pictures(options));
  return made;
}

Result<OwnedExamples> in_folder(const std::string& folder, const IdxOptions& pictures) {
  SOTTO_TRY(const std::string digits, plain_or_packed(folder, "train-images-idx3-ubyte"));
  if (!digits.empty()) {
    OwnedExamples read;
    SOTTO_TRY(read.examples, read_mnist(folder, pictures));
    return read;
  }
  SOTTO_TRY(const std::string faces, plain_or_packed(folder, "list_attr_celeba.txt"));
  if (!faces.empty()) return read_celeba(folder);
  return fail(Code::not_found,
              fmt::format("{}: neither MNIST's files (train-images-idx3-ubyte …) nor CelebA's "
                          "(list_attr_celeba.txt …) are here, plain or as .zst",
                          folder));
}

Result<Dealt> dealt_by(const ExamplesRequest& asked, const OwnedExamples& source,
                       const DealOptions& options) {
  const std::uint32_t devices = asked.devices == 0 ? 100 : asked.devices;
  if (asked.deal == DealKind::iid) return deal_evenly(source.examples, devices, options);
  if (asked.deal == DealKind::shards) return deal_shards(source.examples, devices, 2, options);
  if (source.owners.empty())
    return fail(Code::usage,
                "these examples belong to nobody, so they cannot be dealt to people: choose --deal iid or "
                "--deal shards");
  return deal_by_owner(source.examples, source.owners, asked.people, options);
}

}  // namespace

Status check_examples(const DataRequest& data) {
  if (data.paths.empty() && !data.examples.generate)
    return fail(
        Code::usage,
        "there is nothing to learn from: name a folder with --data, or generate examples with --generate");
  if (!data.paths.empty() && data.examples.generate)
    return fail(Code::usage, "examples come from --data or from --generate: choose one");
  if (data.paths.size() > 1) return fail(Code::usage, "examples are in one folder: name one with --data");
  if (!(data.split.validation_share >= 0.0 && data.split.validation_share < 1.0))
    return fail(Code::usage, "--validation is a share of a device's examples, from 0 to below 1");
  return check_idle(data.examples);
}

Result<std::shared_ptr<const OwnedExamples>> read_examples(const DataRequest& data,
                                                           const IdxOptions& pictures) {
  SOTTO_TRY(OwnedExamples read, data.examples.generate ? made_up(data.examples, data.split.seed)
                                                       : in_folder(data.paths.front(), pictures));
  return std::make_shared<const OwnedExamples>(std::move(read));
}

Result<Split> deal_examples(const DataRequest& data, std::shared_ptr<const OwnedExamples> examples) {
  const DealOptions options{.seed = data.split.seed,
                            .validation_share = data.split.validation_share,
                            .most_devices = data.examples.most_devices,
                            .most_examples = data.examples.most_examples};
  SOTTO_TRY(Dealt dealt, dealt_by(data.examples, *examples, options));
  const Examples* held = &examples->examples;
  return split_of(
      std::make_shared<const DealtExamples>(DealtExamples{{std::move(examples), held}, std::move(dealt)}));
}

}  // namespace sotto::engine
