"""An auditor who has not seen the product: what was done, drawn and asked in, verdicts out. Standard library alone."""
