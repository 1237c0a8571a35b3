// error: Plain
#include "base/codec.h"
#include "base/private.h"

struct Profile {
  sotto::base::Private<float> taste;
};

void send(sotto::base::Writer& out, std::span<const Profile> profiles) { out.array(profiles); }
