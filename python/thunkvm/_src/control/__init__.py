"""What decides, falls back, prints or stops: functions whose values may not be needed."""
