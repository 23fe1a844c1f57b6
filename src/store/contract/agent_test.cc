// Contract: agents and their tools are rows with a revision, found by name, by id and by what their metadata contain.
#include <thread>

#include "store/contract/agent_testing.h"

namespace muster::store::contract {
namespace {

class AgentStoreContract : public AgentContract {
 protected:
  Texts names_of(AgentQuery query, int line = __builtin_LINE()) {
    Texts out;
    const AgentPage page = must(client().list_agents(std::move(query)), line);
    EXPECT_EQ(page.total, page.agents.size()) << "line " << line;
    for (const Agent& one : page.agents) out.push_back(one.spec.name);
    return out;
  }
};

TEST_P(AgentStoreContract, AnAgentIsThereAsItWasGiven) {
  Agent given = an_agent(kOddText, R"({"team": "x",  "n": 1})");
  given.spec.description = kOddText;
  given.spec.system_prompt = std::string(1024 * 1024, 'p') + kOddText;
  given.spec.max_tokens = 4096;
  given.spec.temperature = 0.25;
  given.spec.top_k = 40;
  given.spec.top_p = 0.5;
  given.spec.tools = {ToolName("lint"), ToolName("test")};
  given.spec.delegates = {AgentId{fresh()}, AgentId{fresh()}};
  given.spec.betas = {"context-1m"};
  given.spec.tool_choice = R"({"type":"any"})";
  given.spec.thinking = R"({"type":"enabled","budget_tokens":1024})";
  given.spec.stop_sequences = {"STOP", "\n\n", kOddText};
  given.spec.cache_prompt = false;
  given.spec.iterations_max = 7;
  given.spec.budget = {.tokens_per_run = 1,
                       .tokens_per_session = 2,
                       .tokens_per_day = 3,
                       .microdollars_per_run = 4,
                       .microdollars_per_session = 5,
                       .microdollars_per_day = 6};
  given.spec.config = R"({"b":[1,2.5,null]})";
  const Agent made = must(client().put_agent({given}));
  EXPECT_EQ(made.id, given.id);
  EXPECT_EQ(made.spec, given.spec);
  EXPECT_EQ(made.created_at, now());
  EXPECT_EQ(made.updated_at, now());
  EXPECT_GT(made.revision, 0u);
  restart();
  crash();
  EXPECT_EQ(must(client().get_agent(kDefault, given.id)), made);
}

TEST_P(AgentStoreContract, ANameIsTakenTogetherWithItsMetadata) {
  const Agent first = make_agent("coder", R"({"a":1,"b":{"c":2,"d":3}})");
  EXPECT_EQ(client().put_agent({an_agent("coder", R"({ "b": {"d":3, "c":2}, "a": 1 })")}).code(), Code::already_exists)
      << "the content counts, not its spelling";
  make_agent("coder", R"({"a":1,"b":{"c":2}})");
  make_agent("coder");
  EXPECT_EQ(client().put_agent({an_agent("coder")}).code(), Code::already_exists);
  make_agent("Coder");
  Agent same_id = an_agent("other");
  same_id.id = first.id;
  EXPECT_EQ(client().put_agent({same_id}).code(), Code::already_exists);
  must(client().create_namespace({.name = NamespaceName("team")}));
  Agent elsewhere = an_agent("coder");
  elsewhere.spec.ns = NamespaceName("team");
  must(client().put_agent({elsewhere}));
  EXPECT_EQ(client().get_agent(kDefault, elsewhere.id).code(), Code::not_found) << "it is another namespace's";
  EXPECT_EQ(must(client().get_agent(kDefault, first.id)), first);
}

TEST_P(AgentStoreContract, APutReplacesWhatWasReadAndNothingNewer) {
  const Agent made = make_agent();
  advance(1s);
  Agent changed = made;
  changed.spec.model = "claude-y";
  changed.spec.metadata = R"({"now":"others"})";
  changed.created_at = now();
  const Agent after = must(client().put_agent({changed}));
  EXPECT_GT(after.revision, made.revision);
  EXPECT_EQ(after.created_at, made.created_at);
  EXPECT_EQ(after.updated_at, now());
  EXPECT_EQ(after.spec, changed.spec);
  EXPECT_EQ(must(client().get_agent(kDefault, made.id)), after);
  changed.spec.model = "too late";
  EXPECT_EQ(client().put_agent({changed}).code(), Code::conflict);
  EXPECT_EQ(must(client().get_agent(kDefault, made.id)), after);
  make_agent();  // the name is free with the metadata it had
  Agent onto = after;
  onto.spec.metadata = "{}";
  EXPECT_EQ(client().put_agent({onto}).code(), Code::already_exists);
  EXPECT_EQ(must(client().get_agent(kDefault, made.id)), after);
}

TEST_P(AgentStoreContract, OfTwoWritersAtOneRevisionOneWins) {
  if (!harness().threaded() || harness().faulty()) GTEST_SKIP() << "needs threads, and answers that are not lost";
  Agent agent = make_agent();
  for (int round = 0; round < 20; ++round) {
    std::array<Code, 2> codes{};
    std::vector<std::thread> threads;
    for (std::size_t i = 0; i < codes.size(); ++i)
      threads.emplace_back([&, i] {
        Client own(harness());
        Agent mine = agent;
        mine.spec.description = std::to_string(i);
        codes[i] = own.put_agent({mine}).code();
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_EQ(std::count(codes.begin(), codes.end(), Code::ok), 1);
    EXPECT_EQ(std::count(codes.begin(), codes.end(), Code::conflict), 1);
    agent = must(client().get_agent(kDefault, agent.id));
    EXPECT_EQ(codes.at(std::stoul(agent.spec.description)), Code::ok);
  }
}

TEST_P(AgentStoreContract, WhatIsNotThereIsNotFound) {
  EXPECT_EQ(client().get_agent(kDefault, AgentId{fresh()}).code(), Code::not_found);
  EXPECT_EQ(client().delete_agent(kDefault, AgentId{fresh()}).code(), Code::not_found);
  Agent gone = an_agent();
  gone.revision = 3;
  EXPECT_EQ(client().put_agent({gone}).code(), Code::not_found);
  Agent lost = an_agent();
  lost.spec.ns = NamespaceName("nowhere");
  EXPECT_EQ(client().put_agent({lost}).code(), Code::not_found);
  EXPECT_EQ(client().list_agents({.ns = NamespaceName("nowhere")}).code(), Code::not_found);
  EXPECT_EQ(client().get_agent(NamespaceName("nowhere"), lost.id).code(), Code::not_found);
  EXPECT_EQ(client().get_tool(kDefault, ToolName("none")).code(), Code::not_found);
  EXPECT_EQ(client().delete_tool(kDefault, ToolName("none")).code(), Code::not_found);
  Tool tool = a_tool();
  tool.revision = 1;
  EXPECT_EQ(client().put_tool({tool}).code(), Code::not_found);
  tool.spec.ns = NamespaceName("nowhere");
  tool.revision = 0;
  EXPECT_EQ(client().put_tool({tool}).code(), Code::not_found);
  EXPECT_EQ(client().list_tools({.ns = NamespaceName("nowhere")}).code(), Code::not_found);
}

TEST_P(AgentStoreContract, AgentsAreListedByNameInPages) {
  const Agent late = make_agent("b", R"({"n":2})");
  make_agent("a");
  make_agent("B");  // bytes, not letters: capitals come first
  make_agent("c");
  make_agent("b", R"({"n":1})");
  Texts seen;
  AgentQuery query{.ns = kDefault, .limit = 2};
  for (int page = 0; page < 3; ++page) {
    const AgentPage found = must(client().list_agents(query));
    EXPECT_EQ(found.total, 5u);
    for (const Agent& one : found.agents) seen.push_back(one.spec.name);
    EXPECT_EQ(found.next.empty(), page == 2);
    query.cursor = found.next;
    if (page == 0)
      must(client().delete_agent(kDefault, must(client().list_agents({.ns = kDefault, .name = "B"})).agents.at(0).id));
    if (page == 0) make_agent("A");  // behind the cursor: not seen, and nothing is seen twice
  }
  EXPECT_EQ(seen, (Texts{"B", "a", "b", "b", "c"}));
  EXPECT_EQ(must(client().list_agents({.ns = kDefault, .name = "b"})).agents.at(0).id, late.id) << "then by id";
  EXPECT_EQ(names_of({.ns = kDefault, .name = "b"}), (Texts{"b", "b"}));
  EXPECT_EQ(names_of({.ns = kDefault, .name = "b", .metadata = R"({"n":1})"}), Texts{"b"});
  EXPECT_EQ(names_of({.ns = kDefault, .name = "none"}), Texts{});
  EXPECT_EQ(names_of({.ns = {}}).size(), 5u) << "of all namespaces";
  EXPECT_EQ(client().list_agents({.ns = kDefault, .cursor = "nonsense"}).code(), Code::invalid_argument);
}

TEST_P(AgentStoreContract, AreFoundByWhatTheirMetadataContain) {
  make_agent("one", R"({"team":"x","tags":["a","b"],"o":{"p":1,"q":null},"n":1})");
  make_agent("two", R"({"team":"y","tags":[["a"]],"o":{"p":2},"n":2.5,"f":false})");
  make_agent("three");
  const auto found = [&](std::string metadata) { return names_of({.ns = kDefault, .metadata = std::move(metadata)}); };
  EXPECT_EQ(found(R"({"team":"x"})"), Texts{"one"});
  EXPECT_EQ(found(R"({"tags":["b"]})"), Texts{"one"}) << "some elements, in any order";
  EXPECT_EQ(found(R"({"tags":["b","a","a"]})"), Texts{"one"});
  EXPECT_EQ(found(R"({"tags":["c"]})"), Texts{});
  EXPECT_EQ(found(R"({"tags":"a"})"), Texts{}) << "a value is no list";
  EXPECT_EQ(found(R"({"o":{"p":1}})"), Texts{"one"});
  EXPECT_EQ(found(R"({"o":{"q":null}})"), Texts{"one"});
  EXPECT_EQ(found(R"({"o":{}})"), (Texts{"one", "two"}));
  EXPECT_EQ(found(R"({"n":1.0})"), Texts{"one"}) << "numbers by their value";
  EXPECT_EQ(found(R"({"n":2.5,"team":"y"})"), Texts{"two"});
  EXPECT_EQ(found(R"({"n":"1"})"), Texts{});
  EXPECT_EQ(found(R"({"f":false})"), Texts{"two"});
  EXPECT_EQ(found(R"({})"), (Texts{"one", "three", "two"}));
}

TEST_P(AgentStoreContract, ADeletedOneIsGoneUnlessItHasRuns) {
  const Agent agent = make_agent();
  EXPECT_EQ(must(client().delete_agent(kDefault, agent.id)), agent);
  EXPECT_EQ(client().get_agent(kDefault, agent.id).code(), Code::not_found);
  const Agent busy = make_agent();
  const AgentRun run = start(make_session(), busy);
  EXPECT_EQ(client().delete_agent(kDefault, busy.id).code(), Code::conflict);
  end(run);
  EXPECT_EQ(client().delete_agent(kDefault, busy.id).code(), Code::conflict) << "finished ones count: they name it";
  EXPECT_EQ(must(client().get_agent(kDefault, busy.id)), busy);
}

TEST_P(AgentStoreContract, AToolIsThereAsItWasGiven) {
  Tool given = a_tool();
  given.spec.description = kOddText;
  given.spec.input_schema = R"({"type":"object","properties":{"x":{"type":"integer"}}})";
  given.spec.queue = QueueName("gpu");
  given.spec.needs = {"tool:lint", "label:zone=a"};
  given.spec.approval = ToolApproval::ask;
  given.spec.timeout = 90s;
  given.spec.attempts_max = 5;
  given.spec.retry_jitter = 0.1;
  given.spec.concurrency = 3;
  given.spec.arguments = {"--file", "{{input.file}}", kOddText};
  given.spec.metadata = R"({"k": [1]})";
  const Tool made = must(client().put_tool({given}));
  EXPECT_EQ(made.spec, given.spec);
  EXPECT_EQ(made.created_at, now());
  EXPECT_EQ(made.updated_at, now());
  EXPECT_GT(made.revision, 0u);
  restart();
  crash();
  EXPECT_EQ(must(client().get_tool(kDefault, ToolName("lint"))), made);
}

TEST_P(AgentStoreContract, AToolIsReplacedAtItsRevisionOrWhateverIsThere) {
  const Tool made = must(client().put_tool({a_tool()}));
  EXPECT_EQ(client().put_tool({a_tool()}).code(), Code::already_exists);
  advance(1s);
  Tool changed = made;
  changed.spec.description = "second";
  const Tool second = must(client().put_tool({changed}));
  EXPECT_GT(second.revision, made.revision);
  EXPECT_EQ(second.created_at, made.created_at);
  EXPECT_EQ(second.updated_at, now());
  EXPECT_EQ(client().put_tool({changed}).code(), Code::conflict);
  changed.spec.description = "third";
  changed.revision = 0;
  const Tool third = must(client().put_tool({changed, true}));
  EXPECT_GT(third.revision, second.revision);
  EXPECT_EQ(third.created_at, made.created_at);
  EXPECT_EQ(must(client().get_tool(kDefault, ToolName("lint"))).spec.description, "third");
  must(client().put_tool({a_tool("fresh"), true}));
  EXPECT_EQ(must(client().delete_tool(kDefault, ToolName("lint"))).spec.description, "third");
  EXPECT_EQ(client().get_tool(kDefault, ToolName("lint")).code(), Code::not_found);
  must(client().put_tool({a_tool()}));
}

TEST_P(AgentStoreContract, ToolsAreListedByNameInPages) {
  for (const char* name : {"d", "B", "a", "c", "A"}) must(client().put_tool({a_tool(name)}));
  Texts seen;
  ToolQuery query{.ns = kDefault, .limit = 2};
  for (int page = 0; page < 3; ++page) {
    const ToolPage found = must(client().list_tools(query));
    for (const Tool& one : found.tools) seen.push_back(one.spec.name.text());
    EXPECT_EQ(found.next.empty(), page == 2);
    query.cursor = found.next;
  }
  EXPECT_EQ(seen, (Texts{"A", "B", "a", "c", "d"}));
}

TEST_P(AgentStoreContract, ToolsOfAllNamespacesAreListedInPages) {
  const NamespaceName team("team");
  must(client().create_namespace({.name = team}));
  for (const char* name : {"a", "b"}) must(client().put_tool({a_tool(name)}));
  for (const char* name : {"a", "c"}) {
    Tool tool = a_tool(name);
    tool.spec.ns = team;
    must(client().put_tool({tool}));
  }
  Texts seen;
  ToolQuery query{.ns = {}, .limit = 1};
  do {
    const ToolPage page = must(client().list_tools(query));
    ASSERT_EQ(page.tools.size(), 1u);
    seen.push_back(page.tools[0].spec.ns.text() + "/" + page.tools[0].spec.name.text());
    query.cursor = page.next;
  } while (!query.cursor.empty());
  EXPECT_EQ(seen, (Texts{"default/a", "team/a", "default/b", "team/c"}));
}

TEST_P(AgentStoreContract, ACursorOfNobodyIsRefused) {
  const std::string id = make_agent().id.text();
  for (const std::string& cursor : {std::string("nonsense"), id + "\xff", id + std::string(1, '\0')})
    EXPECT_EQ(client().list_agents({.ns = kDefault, .cursor = cursor}).code(), Code::invalid_argument) << cursor;
  for (const std::string& cursor : {std::string("nonsense"), std::string("1"), std::string("x.a"), std::string("1.\xff"),
                                    std::string("1.\0", 3), std::string("4294967296.a")})
    EXPECT_EQ(client().list_tools({.ns = kDefault, .cursor = cursor}).code(), Code::invalid_argument) << cursor;
}

// Five of 8 MiB are more than a page holds: a reader with few rights must not make the server hold gigabytes.
TEST_P(AgentStoreContract, APageHoldsSoManyBytes) {
  const std::string large(8 * 1024 * 1024, 'x');
  for (const char* name : {"a", "b", "c", "d", "e"}) {
    Agent agent = an_agent(name);
    agent.spec.system_prompt = large;
    must(client().put_agent({agent}));
    Tool tool = a_tool(name);
    tool.spec.description = large;
    must(client().put_tool({tool}));
    AgentSession session = a_session();
    session.variables = R"({"x":")" + large + "\"}";
    must(client().create_session({session}));
  }
  const auto sizes = [](auto read) {
    std::vector<std::size_t> out;
    for (std::string cursor; out.empty() || !cursor.empty();) out.push_back(read(cursor));
    return out;
  };
  using Sizes = std::vector<std::size_t>;
  EXPECT_EQ(sizes([&](std::string& cursor) {
              const AgentPage page = must(client().list_agents({.ns = kDefault, .cursor = cursor}));
              EXPECT_EQ(page.total, 5u);
              cursor = page.next;
              return page.agents.size();
            }),
            (Sizes{3, 2}))
      << "metadata count as well";
  EXPECT_EQ(sizes([&](std::string& cursor) {
              const ToolPage page = must(client().list_tools({.ns = kDefault, .cursor = cursor}));
              cursor = page.next;
              return page.tools.size();
            }),
            (Sizes{3, 2}));
  EXPECT_EQ(sizes([&](std::string& cursor) {
              const SessionPage page = must(client().list_sessions({.ns = kDefault, .cursor = cursor}));
              cursor = page.next;
              return page.sessions.size();
            }),
            (Sizes{3, 2}));
}

TEST_P(AgentStoreContract, GoWithTheirNamespace) {
  const NamespaceName team("team");
  must(client().create_namespace({.name = team}));
  Agent agent = an_agent();
  Tool tool = a_tool();
  AgentSession session = a_session();
  agent.spec.ns = tool.spec.ns = session.ns = team;
  agent = must(client().put_agent({agent}));
  must(client().put_tool({tool}));
  session = must(client().create_session({session}));
  must(client().delete_namespace(team));
  must(client().create_namespace({.name = team}));
  EXPECT_EQ(must(client().list_agents({.ns = team})).total, 0u);
  EXPECT_TRUE(must(client().list_tools({.ns = team})).tools.empty());
  EXPECT_EQ(must(client().list_sessions({.ns = team})).total, 0u);
  EXPECT_EQ(client().list_messages({.session = session.id}).code(), Code::not_found);
}

INSTANTIATE_TEST_SUITE_P(Stores, AgentStoreContract, ::testing::ValuesIn(stores()), store_name);

}  // namespace
}  // namespace muster::store::contract
