// error: operand
#include <iostream>

#include "base/private.h"

void print(const sotto::base::Private<float>& taste) { std::cout << taste; }
