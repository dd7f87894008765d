"""What follows from the methods: gates, replacing a rater, prevalence, panels, portraits; `answers` asks them all."""
