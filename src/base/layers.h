// The layers as namespaces. Each finds the names of the layers to its left (ARCHITECTURE.md) without saying
// where they stand; what it says itself hides theirs. Neighbours of equal rank do not find each other.
#pragma once

namespace sotto {

namespace base {}
namespace data {
using namespace base;
}
namespace model {
using namespace data;
}
namespace metrics {
using namespace model;
}
namespace privacy {
using namespace metrics;
}
namespace fed {
using namespace privacy;
}
namespace storage {
using namespace fed;
}
namespace neural {
using namespace storage;
}
namespace sim {
using namespace storage;
}
namespace net {
using namespace storage;
}
namespace device {
using namespace storage;
}
namespace server {
using namespace storage;
}
namespace engine {
using namespace sim;
using namespace net;
using namespace device;
using namespace server;
using namespace neural;
}  // namespace engine
namespace host {
using namespace engine;
}
namespace lab {
using namespace engine;
}
namespace cli {
using namespace host;
using namespace lab;
}  // namespace cli
// What runs or measures the layers from outside.
namespace tests {
using namespace cli;
}
namespace bench {
using namespace cli;
}
namespace fuzz {
using namespace cli;
}

}  // namespace sotto
