"""Conversations as timelines, links, search, what was seen, and narrow screens."""
import page_case

LONG_AGO = "2020-01-01T00:00:00Z"


def turn(text, time=None):
    return [{"type": "turn_start", **time_of(time)}, {"type": "chat_request", "content": text, **time_of(time)}]


def time_of(time):
    return {"timestamp": time} if time else {}


def says(text, time=None):
    return {"type": "chat_response", "message": text, **time_of(time)}


def call(id, name="Bash", **arguments):
    return {"type": "tool_call_request", "id": id, "name": name, "arguments": arguments}


def result(id, content, **fields):
    return {"type": "tool_call_response", "id": id, "content": content, "is_error": False, **fields}


class ReadingTest(page_case.PageCase):
    def append(self, conversation, lines):
        self.served.logctl("append", conversation, lines=lines)

    def rows(self):
        return self.page.count("li.event")

    def test_a_result_is_in_the_row_of_its_call(self):
        self.append("pairs", [*turn("go"), call("c", command="make"), call("c2", command="ls"), result("c", "built"),
                              result("c2", "gone", is_error=True), says("done")])
        self.page.open("#/c/pairs")
        self.page.one("li.event", "done")
        self.assertEqual(self.rows(), 5)
        self.page.click("summary", "make")
        self.page.one("li.tool_call_request.done .result", "built")
        self.page.one("li.tool_call_request.failed .row-status", "error")

    def test_of_a_large_event_all_is_shown_when_asked_for(self):
        self.append("large", [*turn("go"), call("c", command="make"), result("c", "x" * 100_000 + " the end")])
        self.page.open("#/c/large")
        self.page.click("summary", "make")
        self.assertNotIn("the end", self.page.one(".result", "xxx").text)
        self.page.click(".result button", "Show all of it (100 kB)")
        self.page.one(".result", "the end")

    def test_a_large_permission_is_one_and_what_only_looks_like_it_is_a_question(self):
        arguments = {"file_path": "a", "content": "x" * 100_000}
        for name, context in (("similar", {**arguments, "content": "x" * 99_999 + "y"}), ("same", arguments)):
            question = {"text": "Run Write?", "answer_type": {"type": "boolean"}, "context": page_case.json.dumps(context), "exclusive": True}
            lines = page_case.asking(question, "Write", arguments)
            lines[-1].update(id="c.approve.1", key={"tool_call": "c", "question": "approve", "attempt": 1})
            self.append("large permissions", lines)
        self.page.open("#/c/" + page_case.quote("large permissions"))
        self.page.one("li.inquiry_request.approval .kind", "Permission")
        self.assertEqual(self.page.count("li.inquiry_request"), 2)
        self.assertEqual(self.page.count("li.inquiry_request.approval"), 1)
        self.served.logctl("cancel", "large permissions")

    def test_a_question_has_its_outcome(self):
        self.append("outcomes", [*page_case.asking({"text": "Sure?", "answer_type": {"type": "boolean"}}),
                                 {"type": "inquiry_response", "id": "c.q.1", "outcome": "answered", "answer": True,
                                  "reason": "trust", "responder": {"kind": "user", "who": "ann", "via": "terminal"}}])
        self.page.open("#/c/outcomes")
        self.page.one("li.inquiry_request .outcome", "Yes by ann (terminal) \u2014 trust")

    def test_repairs_are_marked(self):
        self.append("repaired", [*turn("go"), call("open"), result("orphan", "of no call"), *turn("next"), says("ok")])
        self.served.logctl("sanitize", "repaired")
        self.page.open("#/c/repaired")
        self.page.one("li.dropped .mark", "dropped by a repair")
        self.page.one("li.tool_call_request .mark", "added by a repair")
        self.page.one("li.repair", "2 changes")

    def test_redactions_and_erased_events_are_marked(self):
        self.append("redacted", [*turn("the word is hush-hush-hush"), call("open"), result("orphan", "of no call"), *turn("next"), says("ok")])
        self.served.logctl("redact", "--values-stdin", stdin="hush-hush-hush\n")
        self.served.logctl("sanitize", "redacted")
        self.served.logctl("scavenge", "redacted")
        self.page.open("#/c/redacted")
        self.page.one("li.chat_request .mark", "redacted")
        self.page.one("li.redaction", "1 events")
        self.page.one("li.erased .mark", "erased")

    def test_a_long_conversation_is_loaded_piece_by_piece(self):
        self.append("long", [*turn("begin"), *(says(f"line {number}") for number in range(1000))])
        self.page.open("#/c/long")
        self.page.one("li.event", "line 999")
        self.assertLessEqual(self.rows(), 100)
        self.page.open("#/c/long/500")
        self.page.one("li.event.target", "line 497")
        self.assertLessEqual(self.rows(), 150)
        while self.page.find("button.more"):
            count = self.rows()
            self.page.run("arguments[0].click()", self.page.find("button.more")[0])
            self.page.wait(lambda: self.rows() > count)
        numbers = self.page.run("return [...document.querySelectorAll('li.event > .head > .seq')].map((each) => Number(each.textContent))")
        self.assertEqual(numbers, list(range(1, 1003)))

    def test_a_pair_that_was_loaded_in_two_pieces_is_shown_in_both(self):
        self.append("apart", [*turn("go"), call("c", command="sleep"), *(says(f"line {number}") for number in range(150)), result("c", "woken")])
        self.page.open("#/c/apart")
        self.page.one("li.tool_call_response", "woken")

    def test_what_is_appended_appears(self):
        self.append("growing", [*turn("go")])
        self.page.open("#/c/growing")
        self.page.one("li.event", "go")
        self.append("growing", [says("fresh")])
        self.page.one("li.event", "fresh")

    def test_links_to_a_question_find_it_before_and_after_its_answer(self):
        agent = self.agent("linked", "ask", {"text": "Which way?", "answer_type": {"type": "text"}})
        self.page.open("#/q/linked/call.q.1")
        self.page.card("Which way?").type("textarea", "left").click("Answer")
        self.assertTrue(agent.result().startswith('"left"'))
        self.page.open("#/")
        self.page.wait(lambda: not self.page.find(".card", "Which way?"))  # until the page knows it, the link is to a card
        self.page.open("#/q/linked/call.q.1")
        self.page.one("li.event.target .outcome", "left by")
        self.page.open("#/q/linked/other")
        self.page.one(".error", "no such question")

    def test_conversations_with_odd_names(self):
        for name in ("a/b c%2F?#x", "\u00fcber \u202e", "...", "%"):
            self.append(name, [*turn(f"in {name}")])
            self.page.open("#/c/" + page_case.quote(name))
            self.page.one("li.event", "in ")
        for name, problem in (("none", "no"), ("..", "cannot")):
            self.page.open("#/c/" + name)
            self.page.one(".error", problem)

    def test_hidden_characters_are_shown(self):
        self.append("hidden", [*turn("go"), says("abc\u202edef\u200b\u0007")])
        self.page.open("#/c/hidden")
        self.page.one(".prose", "abc\u2039U+202E\u203adef\u2039U+200B\u203a\u2407")

    def test_search_leads_to_the_event(self):
        self.append("haystack", [*turn("a NEEDLE in here"), says("none")])
        self.page.open("#/search")
        self.page.one("[type=search]").send_keys("needle\n")
        self.page.one(".result mark", "NEEDLE")
        self.assertIn("#/search/needle", self.page.driver.current_url)
        self.page.click(".result a")
        self.page.one("li.event.target", "a NEEDLE in here")

    def test_what_was_read_to_its_end_is_seen(self):
        self.append("finished", [*turn("go", LONG_AGO), says("all done", LONG_AGO)])
        self.append("stopped", [*turn("go on", LONG_AGO)])
        self.page.one(".row.finished", "all done")
        self.page.one(".row.failed", "go on")
        self.page.open("#/c/finished")
        self.page.one("li.event", "all done")
        self.page.open("#/")
        self.page.wait(lambda: not self.page.find(".row", "all done"))
        row = self.page.one(".row.failed", "go on")
        row.find_element("css selector", "[data-action=seen]").click()
        self.page.wait(lambda: not self.page.find(".row", "go on"))

    def test_what_is_snoozed_does_not_count(self):
        self.append("snoozed", page_case.asking({"text": "Later?", "answer_type": {"type": "text"}}))
        self.page.card("Later?").find("select.snooze").send_keys("4 hours")
        self.page.one(".row", "snoozed")
        self.page.wait(lambda: self.page.driver.title == "turnlog")
        self.page.click(".row button", "Wake up")
        self.page.card("Later?")
        self.served.logctl("cancel", "snoozed")

    def test_narrow_screens_scroll_down_only(self):
        self.append("wide", [*page_case.asking({"text": "x" * 300, "context": "y" * 300, "answer_type": {
            "type": "select", "options": [{"value": "z" * 200, "description": "d" * 200}], "other": True}}, "t" * 100, {"command": "w" * 500})])
        self.page.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": 375, "height": 800, "deviceScaleFactor": 1, "mobile": True})
        try:
            for fragment, shown in (("#/", ".card .actions"), ("#/c/wide", ".card .actions"), ("#/search/zzz", ".result"), ("#/all", ".row"), ("#/browsers", ".row")):
                self.page.open(fragment)
                self.page.one(shown)
                self.assertLessEqual(self.page.run("return document.documentElement.scrollWidth"), 375, fragment)
        finally:
            self.page.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
            self.served.logctl("cancel", "wide")

    def test_controls_have_names(self):
        self.append("named", page_case.asking({"text": "Named?", "answer_type": {"type": "select", "options": [{"value": 1}], "other": True}}))
        for fragment, shown in (("#/", ".card .actions"), ("#/c/named", ".card .actions"), ("#/search", "[type=search]"), ("#/browsers", ".row")):
            self.page.open(fragment)
            self.page.one(shown)
            controls = self.page.find("button, input, select, textarea, a")
            # What has been hidden since has no name.
            nameless = [each.get_attribute("outerHTML") for each in controls if not each.accessible_name and each.is_displayed()]
            self.assertEqual(nameless, [], fragment)
        self.served.logctl("cancel", "named")


if __name__ == "__main__":
    page_case.main()
