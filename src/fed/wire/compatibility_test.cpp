// What protocol version 1 said, byte for byte, as it was recorded when it was new
// (tests/transcripts/federation_v1.txt). A change that breaks an installed device or coordinator turns this
// red: then either the change is wrong, or it is version 2. The file is never edited, only added to.
#include <gtest/gtest.h>
#include <sodium.h>

#include <fstream>
#include <map>

#include "fed/models/testing/usual_spec.h"
#include "fed/wire/device_fit.h"
#include "fed/wire/packed_contribution.h"
#include "fed/wire/published_model.h"
#include "fed/wire/signed_request.h"
#include "model/fcf.h"

namespace sotto::fed::compatibility_test {

std::string hex_of(std::string_view bytes) {
  std::string hex(bytes.size() * 2 + 1, '\0');
  sodium_bin2hex(hex.data(), hex.size(), reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
  hex.pop_back();
  return hex;
}

std::string bytes_in(const std::string& hex) {
  std::string bytes(hex.size() / 2, '\0');
  EXPECT_EQ(sodium_hex2bin(reinterpret_cast<unsigned char*>(bytes.data()), bytes.size(), hex.data(),
                           hex.size(), nullptr, nullptr, nullptr),
            0);
  return bytes;
}

// Recorded lines by name.
std::map<std::string, std::string> recorded() {
  std::ifstream file(SOTTO_SOURCE_DIR "/tests/transcripts/federation_v1.txt");
  std::map<std::string, std::string> lines;
  std::string name, hex;
  while (file >> name >> hex) lines[name] = bytes_in(hex);
  return lines;
}

v1::TaskSpec recorded_task() {
  v1::TaskSpec spec;
  spec.set_name("films");
  spec.set_model("fpl");
  spec.set_factors(2);
  spec.set_learning_rate(0.05f);
  spec.set_user_reg(0.0025f);
  spec.set_positive_reg(0.0025f);
  spec.set_negative_reg(0.00025f);
  spec.set_init_sd(0.1f);
  spec.set_triples(2);
  spec.set_fixed_bits(20);
  spec.set_seed(7);
  spec.set_reproducible(true);
  spec.set_items(4);
  spec.set_down(v1::PRECISION_I8);
  return spec;
}

// The second model: its task, and the statistic that a device answers with.
void say_als(std::map<std::string, std::string>& said) {
  v1::TaskSpec spec;
  spec.set_name("films");
  spec.set_model("fedals");
  spec.set_factors(2);
  spec.set_lambda(0.5f);
  spec.set_confidence(3.0f);
  spec.set_reg_power(0.25f);
  spec.set_init_sd(0.1f);
  spec.set_fixed_bits(20);
  spec.set_seed(7);
  spec.set_reproducible(true);
  spec.set_items(4);
  said["als_task"] = spec.SerializeAsString();
  const Task task = *read_task(spec);
  DeviceFit fit(task, {7, UserIndex{0}}, {ItemIndex{0}, ItemIndex{2}}, ConsentTerms{});
  Private<RowMatrix> own = fit.start();
  said["als_contribution"] = pack_contribution(
      {.round = 3, .contribution = **fit.fit(3, task.model->server(task)->start().shared, own.on_device())},
      true);
}

// The third model, whose options are a list.
void say_fcf(std::map<std::string, std::string>& said) {
  v1::TaskSpec spec;
  spec.set_name("films");
  spec.set_model("fcf");
  const auto add = [&](const char* key) -> v1::TaskOption& {
    spec.add_options()->set_key(key);
    return *spec.mutable_options()->rbegin();
  };
  add("factors").set_whole(2);
  add("lambda").set_real(0.5f);
  add("confidence").set_real(3.0f);
  add("init_sd").set_real(0.1f);
  add("server").set_word("momentum");
  add("server_lr").set_real(0.05f);
  add("beta1").set_real(0.75f);
  add("beta2").set_real(0.875f);
  spec.set_fixed_bits(20);
  spec.set_seed(7);
  spec.set_reproducible(true);
  spec.set_items(4);
  said["fcf_task"] = spec.SerializeAsString();
  const Task task = *read_task(spec);
  DeviceFit fit(task, {7, UserIndex{0}}, {ItemIndex{0}, ItemIndex{2}}, ConsentTerms{});
  Private<RowMatrix> own = fit.start();
  said["fcf_contribution"] = pack_contribution(
      {.round = 3, .contribution = **fit.fit(3, task.model->server(task)->start().shared, own.on_device())},
      false);
}

// Models whose counts come from their catalogue.
void say_known(std::map<std::string, std::string>& said, const TaskModel& model) {
  v1::TaskSpec spec = usual_spec(model, 12);
  spec.set_name("films");
  spec.set_seed(7);
  spec.set_reproducible(true);
  const std::string name = model.name;
  said[name + "_task"] = spec.SerializeAsString();
  const Task task = *read_task(spec);
  const std::vector<ItemIndex> items{ItemIndex{0}, ItemIndex{2}, ItemIndex{5}, ItemIndex{7}};
  DeviceFit fit(task, {7, UserIndex{0}}, items, ConsentTerms{}, {}, usual_knowledge(12, items));
  Private<RowMatrix> own = fit.start();
  said[name + "_contribution"] = pack_contribution(
      {.round = 3, .contribution = **fit.fit(3, task.model->server(task)->start().shared, own.on_device())},
      false);
}

// Everything that version 1 can say about one exchange, from fixed numbers.
std::map<std::string, std::string> said_today() {
  std::map<std::string, std::string> said;
  const Identity device(Secret(simulated_key(1, "transcript")));
  said["enrol"] = sign_enrolment("a token", device).SerializeAsString();
  v1::CheckInRequest check_in;
  check_in.set_on_power(true);
  v1::Held* held = check_in.add_held();
  held->set_task("films");
  held->set_version(std::string(32, 'v'));
  said["check_in"] =
      sign_request(Method::check_in, check_in.SerializeAsString(), 1'700'000'000'000, 42, device)
          .SerializeAsString();
  const Task task = *read_task(recorded_task());
  const RowMatrix first = task.model->server(task)->start().shared;
  RowMatrix second = first;
  second.row(2)[1] += 0.25f;
  const ModelShape shape{4, 3, v1::PRECISION_I8};
  v1::Assignment assignment;
  *assignment.mutable_task() = recorded_task();
  assignment.set_round(3);
  assignment.set_token(std::string(16, 't'));
  assignment.set_deadline_ms(1'700'000'060'000);
  assignment.set_version(blob_hash(publish(first, v1::PRECISION_I8)));
  said["assignment"] = assignment.SerializeAsString();
  for (const auto precision : {v1::PRECISION_F32, v1::PRECISION_F16, v1::PRECISION_I8})
    said["model_" + std::to_string(precision)] = publish(first, precision);
  said["delta_unpacked_result"] = *apply_delta(
      publish(first, v1::PRECISION_I8),
      make_delta(publish(first, v1::PRECISION_I8), publish(second, v1::PRECISION_I8), shape), shape);
  DeviceFit fit(task, {7, UserIndex{0}}, {ItemIndex{0}, ItemIndex{2}}, ConsentTerms{});
  Private<RowMatrix> own = fit.start();
  const Contribution* contribution =
      *fit.fit(3, *read_published(publish(first, v1::PRECISION_I8), shape), own.on_device());
  v1::StepRequest step;
  step.set_token(assignment.token());
  step.set_phase(v1::PHASE_CONTRIBUTION);
  step.set_data(pack_contribution({.round = 3, .contribution = *contribution}));
  step.set_total(step.data().size());
  said["step"] =
      sign_request(Method::step, step.SerializeAsString(), 1'700'000'001'000, 43, device).SerializeAsString();
  say_als(said);
  say_fcf(said);
  say_known(said, kgflex_task);
  say_known(said, fedcars_task);
  return said;
}

TEST(ProtocolVersion1, SaysWhatItSaidWhenItWasNew) {
  const auto lines = recorded();
  for (const auto& [name, bytes] : said_today()) {
    ASSERT_TRUE(lines.contains(name)) << "not recorded: " << name << ' ' << hex_of(bytes);
    EXPECT_EQ(hex_of(lines.at(name)), hex_of(bytes)) << name;
  }
}

TEST(ProtocolVersion1, OldWordsAreStillUnderstood) {
  auto lines = recorded();
  const Identity device(Secret(simulated_key(1, "transcript")));
  v1::EnrolRequest enrol;
  ASSERT_TRUE(enrol.ParseFromString(lines["enrol"]));
  EXPECT_TRUE(verify_enrolment(enrol));
  v1::SignedRequest request;
  ASSERT_TRUE(request.ParseFromString(lines["check_in"]));
  EXPECT_TRUE(verify_request(Method::check_in, request, device.open()));
  v1::Assignment assignment;
  ASSERT_TRUE(assignment.ParseFromString(lines["assignment"]));
  EXPECT_TRUE(read_task(assignment.task()).ok());
  ASSERT_TRUE(request.ParseFromString(lines["step"]));
  EXPECT_TRUE(verify_request(Method::step, request, device.open()));
  v1::StepRequest step;
  ASSERT_TRUE(step.ParseFromString(request.body()));
  const auto contribution = unpack_contribution(step.data(), {.catalogue = 4, .width = 3, .most_rows = 4});
  ASSERT_TRUE(contribution.ok());
  EXPECT_EQ(contribution->round, 3u);
  EXPECT_GT(contribution->contribution.size(), 0u);
  v1::TaskSpec als;
  ASSERT_TRUE(als.ParseFromString(lines["als_task"]));
  const auto als_task = read_task(als);
  ASSERT_TRUE(als_task.ok());
  EXPECT_EQ(options_of<AlsOptions>(*als_task).confidence, 3.0f);
  const auto statistic = unpack_contribution(lines["als_contribution"],
                                             {.catalogue = 5, .width = 6, .most_rows = 5, .alike = true});
  ASSERT_TRUE(statistic.ok());
  EXPECT_EQ(statistic->contribution.size(), 3u);
  EXPECT_EQ(statistic->contribution.values(2)[5], 1 << 20);
  v1::TaskSpec fcf;
  ASSERT_TRUE(fcf.ParseFromString(lines["fcf_task"]));
  const auto fcf_task_read = read_task(fcf);
  ASSERT_TRUE(fcf_task_read.ok());
  EXPECT_EQ(options_of<FcfOptions>(*fcf_task_read).server.step, ServerStep::momentum);
  EXPECT_EQ(options_of<FcfOptions>(*fcf_task_read).server.beta2, 0.875f);
  for (const std::string name : {"kgflex", "fedcars"}) {
    v1::TaskSpec spec;
    ASSERT_TRUE(spec.ParseFromString(lines[name + "_task"]));
    const auto read = read_task(spec);
    ASSERT_TRUE(read.ok()) << read.error().message;
    EXPECT_EQ(read->model->name, name);
    const TaskShape shape = read->shape();
    const auto given = unpack_contribution(
        lines[name + "_contribution"],
        {.catalogue = shape.sent.rows, .width = shape.sent.width, .most_rows = shape.sent.most_rows});
    ASSERT_TRUE(given.ok()) << given.error().message;
    EXPECT_TRUE(read->model->server(*read)->check(given->contribution).ok());
  }
  const auto gradient =
      unpack_contribution(lines["fcf_contribution"], {.catalogue = 4, .width = 2, .most_rows = 4});
  ASSERT_TRUE(gradient.ok());
  EXPECT_EQ(gradient->contribution.size(), 4u);
  for (const auto precision : {v1::PRECISION_F32, v1::PRECISION_F16, v1::PRECISION_I8})
    EXPECT_TRUE(read_published(lines["model_" + std::to_string(precision)], {4, 3, precision}).ok());
}

// A newer side may say more: what is not known is passed over and kept.
TEST(ProtocolVersion1, UnknownFieldsSurvive) {
  v1::CheckInRequest check_in;
  check_in.set_on_power(true);
  const std::string newer = check_in.SerializeAsString() + std::string("\xFA\x3F\x03new", 6);
  v1::CheckInRequest read;
  ASSERT_TRUE(read.ParseFromString(newer));
  EXPECT_TRUE(read.on_power());
  EXPECT_EQ(read.SerializeAsString(), newer);
}

}  // namespace sotto::fed::compatibility_test
