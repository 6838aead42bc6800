"""Several browsers, reloads, restarts of the service, signing in and out."""
import page_case

TEXT = {"text": "What shall it say?", "answer_type": {"type": "text"}}
FORM = {"questions": [{"id": "a", "text": "First?"}, {"id": "b", "text": "Second?"}]}


class BrowsersTest(page_case.PageCase):
    def test_whoever_is_second_is_told_while_typing(self):
        agent, other = self.agent("race", "ask", TEXT), self.another_browser().sign_in()
        other.card().type("textarea", "mine")
        self.page.card().type("textarea", "first").click("Answer")
        self.assertTrue(agent.result().startswith('"first" by'))
        other.one(".card.closed", "Answered elsewhere: first by")

    def test_whoever_is_second_is_told_when_sending(self):
        agent, other = self.agent("late", "ask", TEXT), self.another_browser().sign_in()
        card = other.card().type("textarea", "second")
        other.driver.execute_async_script(
            "const done = arguments[0]; import(new URL('page/live.js', document.baseURI)).then((live) => { live.stop(); done(); })")
        self.page.card().type("textarea", "first").click("Answer")
        self.assertTrue(agent.result().startswith('"first" by'))
        card.click("Answer")
        other.one(".card.closed", "Answered elsewhere: first by")
        self.assertEqual(self.served.logctl("cat", "--raw", "late").count('"type":"inquiry_response"'), 1)

    def test_a_reload_keeps_what_was_typed(self):
        agent = self.agent("reload", "ask", TEXT)
        self.page.card().type("textarea", "half a sen").type("[name=note]", "note")
        self.page.driver.refresh()
        card = self.page.card()
        self.assertEqual(card.find("[name=note]").get_attribute("value"), "note")
        card.type("textarea", "tence").click("Answer")
        self.assertTrue(agent.result().startswith('"half a sentence" (note) by'))

    def test_a_reload_in_the_middle_of_a_form(self):
        agent = self.agent("form", "form", FORM)
        self.page.card("[1/2]").type("textarea", "one").click("Answer")
        self.page.card("[2/2]").type("textarea", "tw")
        self.page.driver.refresh()
        self.page.card("[2/2]").type("textarea", "o").click("Answer")
        self.assertEqual(agent.result(), '{"a":"one","b":"two"}')

    def test_a_secret_is_not_kept_across_a_reload(self):
        self.served.logctl("append", "secret", lines=page_case.asking({"text": "Key?", "answer_type": {"type": "secret"}}))
        self.page.card("Key?").type("[type=password]", "hush")
        self.page.driver.refresh()
        self.assertEqual(self.page.card("Key?").find("[type=password]").get_attribute("value"), "")
        self.served.logctl("cancel", "secret")

    def test_the_service_is_restarted_meanwhile(self):
        agent = self.agent("restart", "ask", TEXT)
        card = self.page.card().type("textarea", "before ")
        self.served.stop()
        self.page.one("#connection", "Connection lost")
        self.served.start()
        self.page.wait(lambda: not self.page.find("#connection"))
        card.type("textarea", "and after").click("Answer")
        self.assertTrue(agent.result().startswith('"before and after" by'))

    def test_an_answer_while_the_service_is_away_can_be_sent_again(self):
        agent = self.agent("away", "ask", TEXT)
        card = self.page.card().type("textarea", "patience")
        self.served.stop()
        self.page.one("#connection", "Connection lost")
        card.click("Answer")
        self.page.wait(lambda: "error" in card.find(".status").get_attribute("class"))
        self.served.start()
        self.page.wait(lambda: not self.page.find("#connection"))
        card.click("Answer")
        self.assertTrue(agent.result().startswith('"patience" by'))

    def test_links_sign_in_once(self):
        link, page = self.served.pairing_link(), self.another_browser()
        page.driver.get(link)
        page.one("nav a", "Overview")
        self.assertNotIn("pair", page.driver.current_url)
        late = self.another_browser()
        late.driver.get(link)
        late.one("h1", "Sign in")

    def test_a_link_signs_in_where_the_page_is_open(self):
        page = self.another_browser()
        page.driver.get(self.served.address("#/"))
        page.one("h1", "Sign in")
        link = self.served.pairing_link()
        page.driver.get(link)
        page.one("nav a", "Overview")
        self.assertNotIn("pair", page.driver.current_url)
        late = self.another_browser()
        late.driver.get(self.served.address("#/"))
        late.one("h1", "Sign in")
        late.driver.get(link)
        late.one(".error", "wrong")
        self.assertNotIn("pair", late.driver.current_url)
        page.open("#/all")
        page.driver.get(link)  # used, but this browser has its session
        page.one(".counts")

    def test_many_tabs_share_one_stream(self):
        page = self.another_browser().sign_in()
        page.driver.set_page_load_timeout(page_case.PATIENCE)
        first = page.driver.current_window_handle
        for _ in range(7):  # more than a browser has connections
            page.driver.switch_to.new_window("tab")
            page.driver.get(self.served.address("#/"))
            page.one(".counts")
        agent = self.agent("tabs", "ask", TEXT)
        page.card().type("textarea", "from the last").click("Answer")
        self.assertTrue(agent.result().startswith('"from the last" by'))
        page.driver.close()  # it had the stream
        page.driver.switch_to.window(first)
        agent = self.agent("tabs2", "ask", TEXT)
        page.card("tabs2").type("textarea", "from the first").click("Answer")
        self.assertTrue(agent.result().startswith('"from the first" by'))

    def test_a_wrong_code_is_refused(self):
        page = self.another_browser()
        page.driver.get(self.served.address("#/all"))
        page.one("[name=secret]").send_keys("AAAA-AAAA\n")
        page.one(".error", "wrong")
        code = self.served.pairing_link().split("=")[1]
        page.one("[name=who]").send_keys("Ann B.")
        page.one("[name=secret]").clear()
        page.one("[name=secret]").send_keys(code + "\n")
        page.one("h1", "Conversations")
        self.assertIn("Ann B.", self.served.logctl("serve", "--sessions"))

    def test_a_session_that_is_ended_asks_to_sign_in(self):
        page = self.another_browser()
        page.sign_in()
        before = self.served.logctl("--json", "serve", "--sessions")
        newest = page_case.json.loads(before)["sessions"][-1]["id"]
        self.served.logctl("serve", "--end-session", newest)
        page.open("#/all")
        page.one("h1", "Sign in")

    def test_signing_out(self):
        page = self.another_browser().sign_in()
        page.open("#/browsers").click("button", "Sign out here")
        page.one("h1", "Sign in")
        page.driver.refresh()
        page.one("h1", "Sign in")

    def sign_in_with(self, *rights):
        token = self.served.logctl("token", "add", "-".join(rights), *(part for right in rights for part in ("--right", right))).split()[-1]
        page = self.another_browser()
        page.driver.get(self.served.address("#/"))
        page.one("[name=who]").send_keys("The Boss")
        page.one("[name=secret]").send_keys(token + "\n")
        page.one(".counts", "1 question")
        return page

    def test_who_may_only_read_is_offered_nothing_else(self):
        agent = self.agent("rights", "ask", TEXT)
        page = self.sign_in_with("read")
        card = page.card()
        self.assertFalse(card.find("textarea").is_enabled())
        for text in ("Answer", "Decline", "End turn"):
            self.assertFalse(page.find(".card button", text))
        self.assertFalse(page.find(".card .snooze"))
        page.open("#/browsers").one(".row", "this browser")
        self.assertEqual(len(page.find(".row")), 1)
        self.assertFalse(page.find("button", "Pair another browser"))
        self.assertTrue(page.find(".rights", "read"))
        self.page.card().type("textarea", "from elsewhere").click("Answer")
        agent.result()

    def test_who_may_answer_answers_with_the_name_of_the_token(self):
        agent = self.agent("rights2", "ask", TEXT)
        page = self.sign_in_with("answer")
        page.card().type("textarea", "yes").click("Answer")
        self.assertTrue(agent.result().startswith('"yes" by answer'))
        self.served.logctl("token", "remove", "answer")
        page.one("h1", "Sign in")

    def test_the_page_works_below_a_base_path(self):
        served = page_case.Served("--base-path", "/agents/a")
        self.addCleanup(served.folder.cleanup)
        self.addCleanup(served.stop)
        page = page_case.Page(served)
        self.addCleanup(page.close)
        page.driver.get(served.link)
        page.one("nav a", "Overview")
        self.assertTrue(page.driver.current_url.endswith("/agents/a/#/"))
        agent = page_case.Agent(served, "below", "ask", TEXT)
        self.addCleanup(agent.stop)
        page.card().type("textarea", "here").click("Answer")
        self.assertTrue(agent.result().startswith('"here" by'))
        page.driver.get(served.address("agents/a"))
        page.one("nav a", "Overview")

    def test_a_browser_pairs_another_one(self):
        self.page.open("#/browsers").click("button", "Pair another browser")
        page = self.another_browser()
        page.driver.get(self.page.one("code", "#pair=").text)
        page.one("nav a", "Overview")
        count = len(page.open("#/browsers").wait(lambda: page.find(".row")))
        page.one(".row", "this browser")
        self.page.open("#/").open("#/browsers")
        self.page.wait(lambda: len(self.page.find(".row")) == count)

    def test_a_notification_says_that_something_waits_and_not_what(self):
        self.page.one(".counts")
        self.page.run("document.hasFocus = () => false; window.notified.length = 0")
        agent = self.agent("notify", "ask", TEXT)
        self.page.wait(lambda: self.page.run("return window.notified.length"))
        self.assertEqual(self.page.run("return window.notified"), ["Waiting for you: 1 question"])
        self.page.wait(lambda: self.page.driver.title == "(1) turnlog")
        self.page.card().click("Decline")
        agent.result()
        self.page.wait(lambda: self.page.driver.title == "turnlog")


if __name__ == "__main__":
    page_case.main()
