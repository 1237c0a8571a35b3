#include "host/serve/serve_config.h"

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "fed/models/task_models.h"
#include "fed/wire/catalogue.h"

namespace sotto::host {
namespace {

std::string said(const std::string& text) {
  const auto config = parse_serve_config(text, "c.toml", "/etc/sotto");
  return config.ok() ? "" : config.error().message;
}

bool says(const std::string& text, const std::string& words) {
  const std::string message = said(text);
  EXPECT_NE(message, "") << text;
  return message.find(words) != std::string::npos;
}

TEST(ServeConfig, DefaultsAreThoseOfTheTypes) {
  const auto config = parse_serve_config("[task.a]\nitems = 50\n", "c.toml", "/etc/sotto");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->listen, "127.0.0.1:7443");
  EXPECT_EQ(config->state, "/etc/sotto/state");
  EXPECT_EQ(config->certificate, "/etc/sotto/certs/server.pem");
  EXPECT_EQ(config->admin_address(), "unix:/etc/sotto/state/admin.sock");
  EXPECT_EQ(config->options.retry_max_ms, CoordinatorOptions{}.retry_max_ms);
  ASSERT_EQ(config->tasks.size(), 1u);
  const v1::TaskSpec& spec = config->tasks[0].spec;
  EXPECT_EQ(spec.name(), "a");
  EXPECT_EQ(spec.items(), 50u);
  EXPECT_EQ(spec.factors(), FplOptions{}.factors);
  EXPECT_EQ(spec.positive_reg(), FplOptions{}.positive_reg);
  EXPECT_EQ(spec.negative_reg(), FplOptions{}.negative_reg);
  RoundRules rules;
  rules.quorum = 7;  // of the ten that are the goal
  EXPECT_EQ(config->tasks[0].rules, rules);
  EXPECT_FALSE(config->tasks[0].dp);
}

TEST(ServeConfig, TakesWhatItIsTold) {
  const auto config = parse_serve_config(
      "listen = \"0.0.0.0:1\"\n[limits]\nretry_max_s = 9.5\nupload_mib = 3\n"
      "[task.a]\nitems = 50\nlr = 0.1\nlocal = \"batch\"\ndown = \"i8\"\ngoal = 7\nquorum = 3\nsmall_sums = "
      "true\ngather_s = "
      "1\nround_s = "
      "1.5\n"
      "selection = \"drawn\"\npopulation = 20\nclip = 1.5\nepsilon = 4\nrounds = 10\n",
      "c.toml", "");
  ASSERT_TRUE(config.ok()) << config.error().message;
  EXPECT_EQ(config->listen, "0.0.0.0:1");
  EXPECT_EQ(config->options.retry_max_ms, 9500);
  EXPECT_EQ(config->options.most_upload_bytes, 3u << 20);
  const TaskConfig& task = config->tasks[0];
  EXPECT_FLOAT_EQ(task.spec.user_reg(), 0.005f);
  EXPECT_TRUE(task.spec.batch_steps());
  EXPECT_EQ(task.spec.down(), v1::PRECISION_I8);
  EXPECT_EQ(task.rules.goal, 7u);
  EXPECT_EQ(task.rules.round_ms, 1500);
  EXPECT_EQ(task.rules.selection, RoundRules::Selection::drawn);
  ASSERT_TRUE(task.dp);
  EXPECT_EQ(task.dp->epsilon, 4.0);
}

TEST(ServeConfig, WhatIsWrongIsSaidWithItsLine) {
  EXPECT_TRUE(says("nonsense = 1\n[task.a]\nitems = 5\n", "c.toml, line 1: unknown key 'nonsense'"));
  EXPECT_TRUE(says("[task.a]\nitems = 5\ngaol = 3\n", "c.toml, line 3: unknown key 'task.a.gaol'"));
  EXPECT_TRUE(says("[limits]\nthraeds = 3\n[task.a]\nitems = 5\n", "unknown key 'limits.thraeds'"));
  EXPECT_TRUE(says("listen = 5\n[task.a]\nitems = 5\n", "c.toml, line 1: listen must be a text"));
  EXPECT_TRUE(
      says("[task.a]\nitems = 5\nsum = \"none\"\n", "line 3: task.a.sum must be \"plain\" or \"secure\""));
  EXPECT_TRUE(says("[task.a]\nitems = 5\ngoal = -1\n", "task.a.goal must be a whole number from 0"));
  EXPECT_TRUE(says("[limits]\nthreads = 100000\n[task.a]\nitems = 5\n", "limits.threads must be"));
  EXPECT_TRUE(says("[limits]\nassignments = 0\n[task.a]\nitems = 5\n", "limits.assignments must be"));
  EXPECT_TRUE(says("[task.a]\nitems = 5\nround_s = -1\n", "task.a.round_s must be a number of seconds"));
  EXPECT_TRUE(says("[task.a]\nfactors = 3\n", "the items are missing"));
  EXPECT_TRUE(says("[task.a]\nitms = 5\n",
                   "c.toml, line 2: unknown key 'task.a.itms'; did you mean 'items'? Known are abort, "));
  EXPECT_TRUE(says("[task.a]\nitems = 5\nxyzxyz = 3\n", "unknown key 'task.a.xyzxyz'; known are abort, "));
  EXPECT_TRUE(says("[task.a]\nitems = \"no/such/file\"\n",
                   "c.toml, line 2: task.a.items: cannot read '/etc/sotto/no"));
  EXPECT_TRUE(says("listen = \"nonsense\"\n[task.a]\nitems = 5\n",
                   "c.toml, line 1: listen: 'nonsense' is no address"));
  EXPECT_TRUE(says("status = \"nonsense\"\n[task.a]\nitems = 5\n",
                   "c.toml, line 1: status: 'nonsense' is no address"));
  EXPECT_TRUE(says("[task.a]\nitems = 5\nclip = 1\nepsilon = 3\n", "set rounds, or noise"));
  EXPECT_FALSE(says("[task.a]\nitems = 5\nclip = 1\nepsilon = 3\n", "multiplier"));
  EXPECT_TRUE(says("listen = \"127.0.0.1:1\"\n", "there is no task"));
  EXPECT_TRUE(says("task = 3\n", "task must be a table"));
  EXPECT_TRUE(
      says("[task.a]\nitems = 5\nmodel = \"fedalz\"\n",
           "c.toml, line 3: task.a.model: unknown model 'fedalz'; did you mean 'fedals'? Known over a "
           "network are fpl, fedals, fcf"));
  EXPECT_TRUE(says("[task.a]\nitems = 5\nmodel = 3\n", "line 3: task.a.model must be a text"));
}

TEST(ServeConfig, APlanThatCannotMeetItsOwnThresholdIsRefused) {
  EXPECT_TRUE(says("[task.a]\nitems = 5\ngoal = 10\nquorum = 20\n", "a quorum of 20 is never met"));
  EXPECT_TRUE(says("[task.a]\nitems = 5\ngoal = 5\nsum = \"secure\"\n", "raise goal"));
  EXPECT_TRUE(says("[task.a]\nitems = 5\nepsilon = 3\n", "clip"));
  EXPECT_TRUE(says("[task.a]\nitems = 5\ngoal = 3\n", "small_sums"));
}

TEST(ServeConfig, OptionsOfOtherModelsAreAListInTheMessage) {
  const std::string fcf = "[task.a]\nitems = 50\nmodel = \"fcf\"\n";
  const auto config = parse_serve_config(fcf + "factors = 12\nserver = \"sgd\"\nbeta1 = 0.5\n", "c.toml", "");
  ASSERT_TRUE(config.ok()) << config.error().message;
  std::map<std::string, std::string> options;
  for (const v1::TaskOption& one : config->tasks[0].spec.options())
    options[one.key()] = one.has_word()   ? one.word()
                         : one.has_real() ? fmt::format("{}", one.real())
                                          : fmt::format("{}", one.whole());
  EXPECT_EQ(options["factors"], "12");
  EXPECT_EQ(options["server"], "sgd");
  EXPECT_EQ(options["server_lr"], "0.0001");
  EXPECT_EQ(options["beta1"], "0.5");
  EXPECT_EQ(options.size(), 8u);
  EXPECT_EQ(config->tasks[0].spec.factors(), 0u);
  EXPECT_TRUE(says(fcf + "beta1 = 2\n", "beta"));
  EXPECT_TRUE(says(fcf + "triples = 2\n", "unknown key 'task.a.triples'"));
}

// In the message where they are asked for alone: an older device knows the task as long as it is the same.
TEST(ServeConfig, PopularItemsAreAskedForByName) {
  const std::string films =
      "[task.films]\nitems = 3666\nmodel = \"fedease\"\nsum = \"secure\"\ngoal = 6040\n";
  const auto has = [](const TaskConfig& task, const char* key) {
    return std::ranges::any_of(task.spec.options(),
                               [&](const v1::TaskOption& option) { return option.key() == key; });
  };
  const auto all = parse_serve_config(films, "c.toml", "");
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_FALSE(has(all->tasks[0], "pair_items"));
  const auto some = parse_serve_config(films + "pair_items = 1000\npair_bytes = 1000000\n", "c.toml", "");
  ASSERT_TRUE(some.ok()) << some.error().message;
  EXPECT_TRUE(has(some->tasks[0], "pair_items"));
  EXPECT_EQ(read_task(some->tasks[0].spec)->parts(), 2u);
  EXPECT_TRUE(says(films + "pair_bytes = 1000000\n", "take the most popular 10")) << said(films);
  EXPECT_TRUE(says(films + "pair_items = 3000\npair_bytes = 1000000\n", "with pair_items = 10"));
}

TEST(ServeConfig, ClassifiersNameACollectionAndTheirItemsAreClasses) {
  const std::string fedavg = "[task.a]\nitems = 10\nmodel = \"fedavg\"\n";
  const auto config = parse_serve_config(
      fedavg + "collection = \"digits\"\nnetwork = \"dense\"\nhidden = []\n", "c.toml", "");
  ASSERT_TRUE(config.ok()) << config.error().message;
  const Task task = *read_task(config->tasks[0].spec);
  EXPECT_EQ(task.model->examples(task).collection, "digits");
  EXPECT_EQ(task.shape().rows, (28u * 28 * 10 + 10 + 15) / 16);
  EXPECT_TRUE(says(fedavg + "collection = 7\n", "task.a.collection must be a text"));
  EXPECT_TRUE(says(fedavg + "collection = \"My pictures\"\n", "collection names the examples"));
  EXPECT_TRUE(says(fedavg + "evaluate_holdout = 1\nevaluate_cutoff = 3\n", "a classifier makes no lists"));
  EXPECT_TRUE(says(fedavg + "evaluate_share = 0.2\nstop_when = \"nDCG not above 0.1 for 2\"\n",
                   "Accuracy not above"));
  const auto judged = parse_serve_config(
      fedavg +
          "evaluate_share = 0.2\nstop_when = \"Accuracy not above 0.01 for 3\"\ncriteria = \"DS>LD>MWL\"\n"
          "size_bound = 50\ngoal = 20\n",
      "c.toml", "");
  ASSERT_TRUE(judged.ok()) << judged.error().message;
  EXPECT_TRUE(read_task(judged->tasks[0].spec)->evaluation->classifies);
  EXPECT_EQ(read_task(judged->tasks[0].spec)->parts(), 4u);
  EXPECT_TRUE(says(fedavg + "criteria = \"DS\"\nsize_bound = 9\ntrust = \"file\"\n", "speak for itself"));
  EXPECT_TRUE(says("[task.a]\nitems = 257\nmodel = \"fedavg\"\n", "from 2 to 256"));
}

// A coordinator needs nothing that trains networks.
TEST(ServeConfig, NetworksHaveListsOfSizes) {
  const std::string neumf = "[task.a]\nitems = 50\nmodel = \"fedneumf\"\n";
  const auto config = parse_serve_config(neumf + "layers = [16, 8]\nfactors = 4\n", "c.toml", "");
  ASSERT_TRUE(config.ok()) << config.error().message;
  for (const v1::TaskOption& one : config->tasks[0].spec.options()) {
    EXPECT_TRUE(one.key() != "layers" || one.word() == "16,8");
    EXPECT_TRUE(one.key() != "factors" || one.whole() == 4u);
  }
  EXPECT_TRUE(says(neumf + "layers = 16\n", "line 4: task.a.layers must be a list of whole numbers"));
  EXPECT_TRUE(says(neumf + "layers = [15, 8]\n", "the first an even number"));
  EXPECT_TRUE(says(neumf + "row_clip = 1\n", "row_clip"));
}

TEST(ServeConfig, EachModelHasItsOwnKeys) {
  const std::string als = "[task.a]\nitems = 50\nmodel = \"fedals\"\n";
  const auto config = parse_serve_config(
      als + "factors = 12\nlambda = 5\nconfidence = 9\nreg_power = 0.5\ninit_sd = 0.2\n", "c.toml", "");
  ASSERT_TRUE(config.ok()) << config.error().message;
  const v1::TaskSpec& spec = config->tasks[0].spec;
  EXPECT_EQ(spec.model(), "fedals");
  EXPECT_EQ(spec.factors(), 12u);
  EXPECT_EQ(spec.lambda(), 5.0f);
  EXPECT_EQ(spec.confidence(), 9.0f);
  EXPECT_EQ(spec.reg_power(), 0.5f);
  EXPECT_EQ(spec.init_sd(), 0.2f);
  EXPECT_EQ(spec.triples(), 0u);
  EXPECT_TRUE(says(als + "lr = 0.1\n", "unknown key 'task.a.lr'"));
  EXPECT_TRUE(says("[task.a]\nitems = 50\nlambda = 1\n", "unknown key 'task.a.lambda'"));
  EXPECT_TRUE(says(als + "down = \"f16\"\n", "leave down out"));
  EXPECT_TRUE(says(als + "clip = 1\n", "leave clip and row_clip out"));
  EXPECT_TRUE(says(als + "mode = \"buffered\"\nmax_staleness = 2\n", "leave max_staleness out"));
  EXPECT_TRUE(says("[task.a]\nitems = 50\nmodel = \"als\"\nconfidence = 9\nlambda = 5\n",
                   "line 3: task.a.model: unknown model 'als'"));
}

TEST(ServeConfig, CriteriaAreNamedAsInTraining) {
  const std::string task = "[task.a]\nitems = 50\n";
  const auto config = parse_serve_config(
      task +
          "criteria = \"DS>quality\"\nscore = \"mean\"\nscore_weights = [0.75, 1]\nsize_bound = 40\n"
          "quality_category = \"War\"\ncrowd = 5\n",
      "c.toml", "");
  ASSERT_TRUE(config.ok()) << config.error().message;
  const v1::Criteria& asked = config->tasks[0].spec.criteria();
  EXPECT_EQ(asked.order(), "DS>quality");
  EXPECT_EQ(asked.score(), "mean");
  EXPECT_EQ(std::vector<double>(asked.weights().begin(), asked.weights().end()), (std::vector{0.75, 1.0}));
  EXPECT_EQ(asked.size_bound(), 40u);
  EXPECT_EQ(asked.quality(), "War");
  EXPECT_EQ(asked.least_tellers(), 5u);
  EXPECT_FALSE(parse_serve_config(task, "c.toml", "")->tasks[0].spec.has_criteria());
  EXPECT_TRUE(says(task + "score = \"mean\"\n", "task.a.criteria: no criteria are named"));
  EXPECT_TRUE(says(task + "criteria = \"size\"\n", "set size_bound"));
  EXPECT_TRUE(says(task + "criteria = \"closeness\"\nscore_weights = 1\n", "must be a list of numbers"));
  EXPECT_TRUE(
      says(task + "criteria = \"closeness\"\nscore_weights = [\"a\"]\n", "must be a list of numbers"));
  EXPECT_TRUE(says(task + "criteria = \"closeness\"\nchoose_order = true\n", "leave choose_order out"));
  EXPECT_TRUE(says(task + "criteria = \"trust\"\ntrust = \"t.tsv\"\n", "leave trust out"));
  EXPECT_TRUE(says(task + "criteria = \"closeness\"\nepsilon = 1\nclip = 1\nrounds = 3\n", "carry no noise"));
  EXPECT_TRUE(says(task + "model = \"fedease\"\ncriteria = \"closeness\"\n", "not for fedease"));
}

class ACatalogueTable : public ::testing::Test {
 protected:
  ACatalogueTable()
      : folder_(std::filesystem::temp_directory_path() / fmt::format("sotto-serve-{}", ::getpid())) {
    std::filesystem::create_directories(folder_);
    put("items.tsv", "1\n2\n3\n");
    put("movies.dat", "1::Heat (1995)::Crime|Drama\n3::Alien (1979)::Horror\n9::Nothing (2000)::Drama\n");
    put("pictures.tsv", "1\thttps://example.org/1.jpg\n2\thttps://example.org/2.jpg\n");
    put("words.tsv", "weather\train\nweather\tsun\n");
    put("people.tsv", "job\tpilot\njob\tcook\nage\t18-24\n");
  }
  ~ACatalogueTable() override { std::filesystem::remove_all(folder_); }
  void put(const char* name, const char* text) const { std::ofstream(folder_ / name) << text; }
  [[nodiscard]] Result<ServeConfig> parsed(const std::string& keys) const {
    return parse_serve_config("[task.a]\nitems = \"items.tsv\"\n[task.a.catalogue]\n" + keys, "c.toml",
                              folder_);
  }
  [[nodiscard]] std::string refusal(const std::string& keys) const {
    const auto config = parsed(keys);
    return config.ok() ? "" : config.error().message;
  }
  std::filesystem::path folder_;
};

TEST_F(ACatalogueTable, TakesTheFilesOfTraining) {
  const auto config = parsed(
      "names = \"movies.dat\"\npictures = [\"pictures.tsv\"]\nkg_labels = true\nkg_min_items = 1\n"
      "contexts = [\"interval\", \"columns\", \"item\", \"person\", \"recency\"]\ninterval_bins = 4\n"
      "context_values = \"words.tsv\"\nperson_values = \"people.tsv\"\nrating_scale = \"0.5:5\"\n");
  ASSERT_TRUE(config.ok()) << config.error().message;
  const TaskConfig& task = config->tasks[0];
  EXPECT_EQ(task.spec.items(), 3u);
  const auto read = read_catalogue(pack_catalogue(task.catalogue), 3);
  ASSERT_TRUE(read.ok()) << read.error().message;
  const TaskCatalogue& catalogue = **read;
  EXPECT_EQ(catalogue.names.name(2), "3");
  EXPECT_EQ(catalogue.title(0), "Heat (1995)");
  EXPECT_EQ(catalogue.title(1), "2");
  EXPECT_EQ(catalogue.categories[0], "Crime|Drama");
  EXPECT_EQ(catalogue.pictures[1], "https://example.org/2.jpg");
  EXPECT_EQ(catalogue.scale->lowest, 0.5f);
  EXPECT_EQ(catalogue.features->of({2}).size(), 3u);  // Horror, 1979, 1970s
  EXPECT_EQ(catalogue.contexts->dimensions[0].values.size(), 5u);
  EXPECT_EQ(catalogue.contexts->dimensions[1].values, (std::vector<std::string>{"rain", "sun"}));
  const auto& dimensions = catalogue.contexts->dimensions;
  EXPECT_EQ(dimensions.back().name, "recency");
  ASSERT_GT(dimensions.size(), 5u);
  EXPECT_EQ(dimensions[dimensions.size() - 3].name, "job") << "as they come in the file";
  EXPECT_EQ(dimensions[dimensions.size() - 3].values, (std::vector<std::string>{"cook", "pilot"}));
  EXPECT_TRUE(dimensions[dimensions.size() - 2].is_attribute());
  EXPECT_EQ(catalogue.schema.bins, 4u);
}

// Whose features are numbers names them, and says how far they are from an item.
TEST_F(ACatalogueTable, TakesListsOfNumbers) {
  put("features.tsv", "1\t0\t7\n2\t0\t7\n2\t1\t8\n3\t1\t8\n");
  put("predicates.tsv", "writer\t0\t1\nwriter~birthPlace\t1\t2\n");
  const std::string list = "kg = \"features.tsv\"\nkg_predicates = \"predicates.tsv\"\nkg_min_items = 1\n";
  const auto features_of = [&](const std::string& keys) -> std::vector<std::string> {
    const auto config = parsed(keys);
    if (!config.ok()) return {config.error().message};
    const auto catalogue = read_catalogue(pack_catalogue(config->tasks[0].catalogue), 3);
    std::vector<std::string> names;
    for (std::uint32_t n = 0; n < (*catalogue)->features->features(); ++n)
      names.push_back(feature_in_words(*(*catalogue)->features, {n}));
    return names;
  };
  EXPECT_EQ(features_of(list), (std::vector<std::string>{"writer 7", "writer › birthPlace 8"}));
  EXPECT_EQ(features_of(list + "kg_depth = 1\n"), (std::vector<std::string>{"writer 7"}));
}

// What travels is counted in the catalogue, and is the task's.
TEST_F(ACatalogueTable, GivesTheTaskItsCounts) {
  const auto parsed_as = [&](const char* model, const char* keys) {
    return parse_serve_config(
        fmt::format("[task.a]\nitems = \"items.tsv\"\nmodel = \"{}\"\n[task.a.catalogue]\n{}", model, keys),
        "c.toml", folder_);
  };
  const char* labelled = "names = \"movies.dat\"\nkg_labels = true\nkg_min_items = 1\n";
  const auto features = parsed_as("kgflex", labelled);
  ASSERT_TRUE(features.ok()) << features.error().message;
  const auto catalogue = read_catalogue(pack_catalogue(features->tasks[0].catalogue), 3);
  const auto task = read_task(features->tasks[0].spec);
  ASSERT_TRUE(task.ok()) << task.error().message;
  EXPECT_EQ(task->shape().rows, (*catalogue)->features->features());
  EXPECT_TRUE(task->model->check_known(*task, known_of(catalogue->get())).ok());
  const auto rated = parsed_as("fedcars", "contexts = \"daypart\"\nrating_scale = \"1:5\"\n");
  ASSERT_TRUE(rated.ok()) << rated.error().message;
  EXPECT_EQ(read_task(rated->tasks[0].spec)->shape().rows, 3u + 4u + 3u);
  EXPECT_NE(parsed_as("kgflex", "rating_scale = \"1:5\"\n").error().message.find("knowledge graph"),
            std::string::npos);
  EXPECT_NE(parsed_as("fedcars", labelled).error().message.find("rating_scale"), std::string::npos);
  const auto late = parse_serve_config(
      "[task.a]\nitems = \"items.tsv\"\nmodel = \"fedcars\"\nmax_staleness = 2\nmode = \"buffered\"\n"
      "[task.a.catalogue]\nrating_scale = \"1:5\"\n",
      "c.toml", folder_);
  ASSERT_FALSE(late.ok());
  EXPECT_NE(late.error().message.find("leave max_staleness out"), std::string::npos) << late.error().message;
}

TEST_F(ACatalogueTable, WhatIsWrongIsSaid) {
  const auto says_it = [&](const std::string& keys, const char* words) {
    const std::string message = refusal(keys);
    EXPECT_NE(message.find(words), std::string::npos) << message;
    return message.find("c.toml, line") != std::string::npos;
  };
  EXPECT_TRUE(says_it("titles = \"movies.dat\"\n", "titles"));
  EXPECT_TRUE(says_it("names = \"nowhere.dat\"\n", "nowhere.dat"));
  EXPECT_TRUE(says_it("names = \"words.tsv\"\n", "none of its items"));
  EXPECT_TRUE(says_it("contexts = [\"person\"]\n", "person_values"));
  EXPECT_TRUE(says_it("contexts = [\"daypart\"]\nperson_values = \"people.tsv\"\n", "person_values"));
  EXPECT_TRUE(says_it("contexts = \"all\"\n", "name those its model uses"));
  EXPECT_TRUE(says_it("contexts = [\"columns\"]\n", "context_values"));
  EXPECT_TRUE(says_it("contexts = [\"item\"]\n", "features"));
  EXPECT_TRUE(says_it("rating_scale = \"5\"\n", "rating scale"));
  put("pictures.tsv", "1\tfile:///1.jpg\n2\thttps://example.org/2.jpg\n");
  EXPECT_TRUE(says_it("pictures = \"pictures.tsv\"\n", "https://"));
  put("words.tsv", "weather\train\nweather\n");
  EXPECT_TRUE(says_it("contexts = \"columns\"\ncontext_values = \"words.tsv\"\n", "words.tsv, line 2"));
  const std::string of_people = "contexts = \"person\"\nperson_values = \"people.tsv\"\n";
  put("people.tsv", "age\t18-24\nage 25-34\n");
  EXPECT_TRUE(says_it(of_people, "people.tsv, line 2"));
  put("people.tsv", "");
  EXPECT_TRUE(says_it(of_people, "names no attribute"));
  put("people.tsv", "recency\tnever\n");
  EXPECT_TRUE(says_it(of_people, "two contexts would be called 'recency'"));
  std::string many;
  for (int n = 0; n < 257; ++n) many += fmt::format("zip\t{}\n", n);
  put("people.tsv", many.c_str());
  EXPECT_TRUE(says_it(of_people, "'zip' has 257 values, more than 256"));
  many.clear();
  for (int n = 0; n < 65; ++n) many += fmt::format("attribute {}\tyes\n", n);
  put("people.tsv", many.c_str());
  EXPECT_TRUE(says_it(of_people, "names 65 attributes"));
  const auto numbers = parse_serve_config("[task.a]\nitems = 3\n[task.a.catalogue]\nrating_scale = \"1:5\"\n",
                                          "c.toml", folder_);
  ASSERT_FALSE(numbers.ok());
  EXPECT_NE(numbers.error().message.find("needs their names"), std::string::npos) << numbers.error().message;
}

TEST(ServeConfig, TheExampleCanBeUsed) {
  std::ifstream file(std::string(SOTTO_SOURCE_DIR) + "/examples/coordinator/coordinator.toml");
  std::ostringstream text;
  text << file.rdbuf();
  std::string example = text.str();
  const std::string items = "items = \"items.tsv\"";
  ASSERT_NE(example.find(items), std::string::npos);
  example.replace(example.find(items), items.size(), "items = 100");
  EXPECT_EQ(said(example), "");
}

}  // namespace
}  // namespace sotto::host
