"""What the checks of several exercises share: the driver of an answer, the oracle, and stories."""
