# manual.mk - make docs: the manual as HTML with search, and the man pages, in $(BUILD)/docs. Needs Python with the package markdown, and nothing else does.
DOCS_PYTHON = $(firstword $(foreach p,python3 /usr/bin/python3,$(shell $p -c 'import markdown; print("$p")' 2>/dev/null)))

docs: $(BUILD)/hotset ## build the manual, HTML with search and man pages, into build/docs (needs python3-markdown)
	@[ -n "$(DOCS_PYTHON)" ] || { echo "make docs: skipped, Python has no package markdown (apt-get install python3-markdown)"; exit 0; }; \
	rm -rf $(BUILD)/docs $(BUILD)/docs.tmp && mkdir -p $(BUILD)/docs.tmp/man && $(DOCS_PYTHON) reports/manual/manual.py $(abspath $(BUILD)/hotset) $(BUILD)/docs.tmp >/dev/null && \
	$(BUILD)/hotset help --man >$(BUILD)/docs.tmp/man/hotset.1 && $(BUILD)/hotset help --commands | while read -r c; do \
	$(BUILD)/hotset help --man $$c >"$(BUILD)/docs.tmp/man/hotset-$$(echo $$c | tr ' ' -).1" || exit 1; done && \
	mv $(BUILD)/docs.tmp $(BUILD)/docs && echo "the manual: $(BUILD)/docs/index.html"
install-docs:
	if [ -f $(BUILD)/docs/index.html ]; then install -d $(DESTDIR)$(PREFIX)/share/doc/hotset && install -m 644 $(BUILD)/docs/*.* $(DESTDIR)$(PREFIX)/share/doc/hotset && \
	install -d $(DESTDIR)$(PREFIX)/share/man/man7 && install -m 644 $(BUILD)/docs/man/*.7 $(DESTDIR)$(PREFIX)/share/man/man7; fi
uninstall-docs:
	rm -rf $(DESTDIR)$(PREFIX)/share/doc/hotset $(DESTDIR)$(PREFIX)/share/man/man7/hotset-*.7
install: install-docs
uninstall: uninstall-docs
.PHONY: docs install-docs uninstall-docs
