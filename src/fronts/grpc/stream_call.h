// Calls of more than one message: health's Watch, reflection, and watches of runs. A row of the catalogue that has `open` instead
// of `run` makes a StreamMethod for each call; the transport owns it and tells it what comes.
//
// Everything happens on the loop's thread, and answers of the engine reach it through StreamCall::handle(). One message is read
// at a time: the next one comes when what was sent has left.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/unique_function.h"
#include "command/context.h"
#include "fronts/grpc/call.h"

namespace muster::rpc {

class StreamCall {
 public:
  virtual ~StreamCall() = default;

  Core& core;
  command::Caller caller;   // authenticated before the method is made
  std::string connection;   // as in Call
  std::string correlation;  // as in Call

  virtual std::string_view metadata(std::string_view name) const = 0;
  // The token that the caller came with would still be accepted: a stream may outlive it.
  virtual bool may_go_on() = 0;
  // A message to the client. After the end it goes nowhere.
  virtual void send(std::string message) = 0;
  virtual std::size_t unsent() const = 0;  // bytes that have not left: send no more while there are many
  // The end: exactly one of them, once.
  virtual void finish() = 0;
  virtual void refuse(WireError error) = 0;
  // Runs `then` when this much real time has passed, unless the stream has ended by then.
  virtual void after(Duration wait, UniqueFunction<void()> then) = 0;
  // For answers that come later: expired once the stream has ended. To be locked on the loop's thread.
  virtual std::weak_ptr<StreamCall> handle() = 0;

 protected:
  explicit StreamCall(Core& shared) : core(shared) {}
};

// One open stream of a method. It goes when the stream has ended, whoever ended it.
class StreamMethod {
 public:
  virtual ~StreamMethod() = default;
  virtual void received(std::string message) = 0;
  virtual void half_closed() = 0;  // the client sends no more
  virtual void drained() {}        // what was sent has left
  virtual void stopping() = 0;     // the server stops: say what is to be said and end
};

}  // namespace muster::rpc
