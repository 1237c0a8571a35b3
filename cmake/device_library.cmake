# libsotto_device.so: the device's layer behind include/sotto/sotto.h, for apps in any language.
#
# What it uses of the layers is compiled once more, for a shared library and small: the linker names what is
# missing here. It shows sotto_* and nothing else.
target_include_directories(sotto_device PUBLIC include)

set(sources
  base/assert base/compression base/hash base/kernels base/large_pages base/math base/normal_kernels base/pair_kernels
  base/score_kernels base/secret_stream base/storage
  data/context_share data/context_values data/ids data/names_io data/recorded_contexts data/records_io data/values data/feature_list data/kg/feature_names data/kg/feature_words data/item_features data/membership
  data/pair_sampler
  model/als model/averaging/classifier_options model/averaging/classifier_scores model/averaging/flat_matrices model/averaging/local_task model/averaging/network_starts
  model/central/dense_layers model/central/ease model/central/item_weights model/central/multvae
  model/central/neighbors model/central/neumf model/central/neural_options model/central/rp3beta
  model/factor_rows model/fcf model/fed_als model/fpl model/fedcars/fedcars
  model/fedcars/fedcars_devices model/fedcars/fedcars_recommender model/fedcars/fedcars_work model/fedcars/fm_task
  model/fedcars/maml model/fedcars/own_steps model/kgflex/gain model/kgflex/kgflex
  model/kgflex/kgflex_recommender model/kgflex/kgflex_work model/kgflex/profile model/mf_recommender model/pair_counts
  model/recommender model/server_step metrics/accuracy metrics/list_keeper metrics/top_k
  privacy/consent privacy/consent_book privacy/context_choice privacy/context_consent
  privacy/contribution privacy/contribution_edit privacy/feature_consent privacy/item_set
  privacy/kept_items privacy/ledger privacy/pair_contribution privacy/weighted_pairs privacy/personal_policy privacy/secure/tails privacy/secure/keys privacy/secure/neighbour_graph
  privacy/secure/ring_values privacy/secure/secret privacy/secure/shamir privacy/secure/sum_terms
  privacy/criteria_choice fed/criteria/criterion fed/criteria/example_facts fed/criteria/history_facts fed/criteria/score fed/criteria/weighing
  fed/averaged_update fed/messages fed/plan fed/secure/sum_device fed/secure/sum_messages
  fed/wire/catalogue fed/wire/catalogue_growth fed/wire/device_fit fed/wire/packed_contribution fed/wire/published_model
  fed/wire/signed_request storage/database storage/toml)
list(TRANSFORM sources PREPEND src/)
list(TRANSFORM sources APPEND .cpp)
file(GLOB_RECURSE own CONFIGURE_DEPENDS src/device/*.cpp src/fed/models/*.cpp)
list(FILTER own EXCLUDE REGEX "_test\\.cpp$")
add_library(sotto_device_c SHARED ${sources} ${own} ${PROTO_OUT}/sotto/v1/federation.pb.cc)
# The messages are made once.
add_dependencies(sotto_device_c sotto_proto)
target_include_directories(sotto_device_c PUBLIC include PRIVATE src)
target_include_directories(sotto_device_c SYSTEM PRIVATE ${PROTO_OUT})
target_link_libraries(sotto_device_c PRIVATE sotto_flags PkgConfig::sodium PkgConfig::crypto PkgConfig::zstd
  PkgConfig::hwy PkgConfig::sqlite3 PkgConfig::tomlplusplus PkgConfig::protobuf fmt::fmt nlohmann_json::nlohmann_json)
set_target_properties(sotto_device_c PROPERTIES OUTPUT_NAME sotto_device VERSION ${PROJECT_VERSION} SOVERSION 0
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR} CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  LINK_DEPENDS ${CMAKE_SOURCE_DIR}/src/device/c/exports.map)
# Models leave the halves of a coordinator out.
# Kernels give the same bits on every instruction set: of a PC's, a device has AVX2 and one for all others.
target_compile_definitions(sotto_device_c PRIVATE SOTTO_NO_SERVER
  "HWY_DISABLED_TARGETS=(HWY_SSSE3|HWY_SSE4|HWY_AVX3)")
target_compile_options(sotto_device_c PRIVATE -Os -ffunction-sections -fdata-sections)
target_link_options(sotto_device_c PRIVATE -Wl,--gc-sections -Wl,--as-needed
  -Wl,--version-script=${CMAKE_SOURCE_DIR}/src/device/c/exports.map)
if(NOT SOTTO_SANITIZE)
  target_link_options(sotto_device_c PRIVATE -Wl,--no-undefined)
endif()
# abidiff reads the types of the interface from here.
file(GLOB faces CONFIGURE_DEPENDS src/device/c/*.cpp)
set_source_files_properties(${faces} TARGET_DIRECTORY sotto_device_c PROPERTIES COMPILE_OPTIONS -g)
# What protoc writes is not ours to mend.
set_source_files_properties(${PROTO_OUT}/sotto/v1/federation.pb.cc TARGET_DIRECTORY sotto_device_c
  PROPERTIES COMPILE_OPTIONS -w)
sotto_together(sotto_device_c 12)
