// The other side of http.life: a Boost.Beast server that takes the same requests and gives answers of the same size, and does
// nothing with them. It reads no JSON, keeps nothing and writes nothing down.
#pragma once

namespace muster::bench {

// `muster_bench http-bare`: serves until it is ended, and prints a ready line with `http=127.0.0.1:PORT`.
int serve_bare_http();

}  // namespace muster::bench
