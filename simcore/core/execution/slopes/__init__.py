"""What a block's run says about other blocks."""
