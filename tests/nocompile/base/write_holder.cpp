// error: Plain
#include "base/codec.h"
#include "base/private.h"

struct Profile {
  sotto::Private<float> taste;
};

void send(sotto::Writer& out, std::span<const Profile> profiles) { out.array(profiles); }
